export default {
  invoicing: {
    input: 'output/openapi.json',
    output: {
      client: 'fetch',
      target: 'output/orval.ts',
      override: { mutator: { path: 'clients/orval-fetch.ts', name: 'request' } },
    },
  },
};
