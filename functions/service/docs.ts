import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { fileReply } from '#shared/platform/http/file.ts';

/** The page sends requests to the API, which redirects it to the file of an export. */
const policy = (downloadOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${downloadOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /docs',
  summary: 'Get the documentation page',
  description: 'Returns the page with the guides and the reference, where you can also send requests.',
  produces: { 'text/html': { type: 'string' } },
  files: ['docs.html.gz'],
  downloads: true,
  handle: async (input, { read, downloadOrigin }) =>
    fileReply(input, await read('docs.html.gz'), {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': policy(downloadOrigin()),
      'referrer-policy': 'no-referrer',
    }),
});
