import { publicEndpoint } from '#shared/platform/http/endpoint.ts';

const TARGET = '/docs';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /',
  summary: 'Redirect to the documentation',
  description: 'Redirects to the documentation page.',
  redirectsTo: TARGET,
  handle: () => ({ status: 303, headers: { location: TARGET, 'cache-control': 'no-cache' } }),
});
