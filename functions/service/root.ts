import { publicEndpoint } from '#shared/platform/endpoint.ts';

const TARGET = '/docs';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /',
  summary: 'Redirects to the documentation',
  description: 'Redirects to the documentation.',
  redirectsTo: TARGET,
  handle: () => ({ status: 303, headers: { location: TARGET, 'cache-control': 'no-cache' } }),
});
