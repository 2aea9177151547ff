import { publicEndpoint } from '#shared/http/endpoint.ts';
import { document } from '#shared/http/reply.ts';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /health',
  summary: 'Says that the service answers',
  description: 'Says that the service answers.',
  produces: ['application/json'],
  handle: () => document({ status: 'ok' }, { 'cache-control': 'no-store' }),
});
