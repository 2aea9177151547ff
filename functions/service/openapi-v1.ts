import { fileEndpoint } from '#shared/platform/http/file.ts';

/** For clients that are generated for one version. */
export default fileEndpoint({
  route: 'GET /openapi-v1.json',
  summary: 'Get the OpenAPI document of v1',
  description: 'Returns the OpenAPI 3.1 document with the operations of v1 only.',
  file: 'openapi-v1.json.gz',
  contentType: 'application/json',
  type: 'object',
});
