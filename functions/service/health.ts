import { publicEndpoint } from '#shared/platform/endpoint.ts';
import { document } from '#shared/platform/http/reply.ts';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /health',
  summary: 'Says that the service answers',
  description: 'Says that the service answers.',
  produces: ['application/json'],
  handle: () => document({ status: 'ok' }, { 'cache-control': 'no-store' }),
});
