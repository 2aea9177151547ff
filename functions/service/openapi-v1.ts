import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { fileReply } from '#shared/platform/http/file.ts';

/** For clients that are generated for one version. */
export default publicEndpoint({
  route: 'GET /openapi-v1.json',
  summary: 'Get the OpenAPI document of v1',
  description: 'Returns the OpenAPI 3.1 document with the operations of v1 only.',
  produces: { 'application/json': { type: 'object' } },
  files: ['openapi-v1.json.gz'],
  handle: async (input, { read }) =>
    fileReply(input, await read('openapi-v1.json.gz'), {
      'content-type': 'application/json',
      'cache-control': 'no-cache',
    }),
});
