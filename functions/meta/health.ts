import { publicEndpoint } from '#shared/http/endpoint.ts';
import { document } from '#shared/http/reply.ts';

/** Says that the service answers (CONTRACT §4). */
export default publicEndpoint({
  route: 'GET /health',
  produces: ['application/json'],
  handle: () => document({ status: 'ok' }, { 'cache-control': 'no-store' }),
});
