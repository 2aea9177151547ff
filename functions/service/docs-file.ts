import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { SITE, siteReply } from '#shared/platform/http/site.ts';

const TEXT = { type: 'string' };

export default publicEndpoint({
  route: 'GET /docs/{file}',
  summary: 'Get a page or a file of the documentation',
  description:
    'Returns a page, script or style of the documentation, the changelog, or the tokens that a local server offers.',
  produces: {
    'text/html': TEXT,
    'text/javascript': TEXT,
    'text/css': TEXT,
    'text/plain': TEXT,
    'image/svg+xml': TEXT,
    'application/json': {},
  },
  files: [SITE],
  downloads: true,
  refuses: ['not-found'],
  handle: (input, context) => siteReply(input, input.path['file'] ?? '', context),
});
