import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { fileReply } from '#shared/platform/http/file.ts';

/** The guides for programs that read texts (https://llmstxt.org). */
export default publicEndpoint({
  route: 'GET /llms.txt',
  summary: 'Get the guides as text',
  description: 'Returns all guides in one Markdown text, with links to the reference and the changelog.',
  produces: { 'text/plain': { type: 'string' } },
  files: ['llms.txt.gz'],
  handle: async (input, { read }) =>
    fileReply(input, await read('llms.txt.gz'), {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache',
    }),
});
