import { fileEndpoint } from '#shared/platform/http/file.ts';

/** For clients that are generated for one version. */
export default fileEndpoint({
  route: 'GET /openapi-v2.json',
  summary: 'Get the OpenAPI document of v2',
  description: 'Returns the OpenAPI 3.1 document with the operations of v2 only.',
  file: 'openapi-v2.json.gz',
  contentType: 'application/json',
  type: 'object',
});
