import { fileEndpoint } from '#shared/platform/http/file.ts';

/** The guides for programs that read texts (https://llmstxt.org). */
export default fileEndpoint({
  route: 'GET /llms.txt',
  summary: 'Get the guides as text',
  description: 'Returns all guides in one Markdown text, with links to the reference and the changelog.',
  file: 'llms.txt.gz',
  contentType: 'text/plain; charset=utf-8',
  type: 'string',
});
