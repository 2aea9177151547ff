import { fileEndpoint } from '#shared/platform/http/file.ts';

/** CONTRACT §4. */
export default fileEndpoint({
  route: 'GET /openapi.json',
  summary: 'Get the OpenAPI document',
  description: 'Returns the OpenAPI 3.1 document of both versions.',
  file: 'openapi.json.gz',
  contentType: 'application/json',
  type: 'object',
});
