import { publicEndpoint } from '#shared/platform/endpoint.ts';
import { fileReply } from '#shared/platform/http/file.ts';

/** CONTRACT §4. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export default publicEndpoint({
  route: 'GET /docs',
  summary: 'Get the documentation page',
  description: 'Returns the page with the guides and the reference, where you can also send requests.',
  produces: { 'text/html': { type: 'string' } },
  files: ['docs.html.gz'],
  handle: async (input, read) =>
    fileReply(input, await read('docs.html.gz'), {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
    }),
});
