import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { SITE, siteReply } from '#shared/platform/http/site.ts';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /docs',
  summary: 'Get the documentation',
  description: 'Returns the first page of the documentation, with links to the guides, the reference and the explorer.',
  produces: { 'text/html': { type: 'string' } },
  files: [SITE],
  downloads: true,
  handle: (input, context) => siteReply(input, 'index', context),
});
