import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { fileReply } from '#shared/platform/http/file.ts';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /openapi.json',
  summary: 'Get the OpenAPI document',
  description: 'Returns the OpenAPI 3.1 document of both versions.',
  produces: { 'application/json': { type: 'object' } },
  files: ['openapi.json.gz'],
  handle: async (input, { read }) =>
    fileReply(input, await read('openapi.json.gz'), {
      'content-type': 'application/json',
      'cache-control': 'no-cache',
    }),
});
