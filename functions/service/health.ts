import { publicEndpoint } from '#shared/platform/endpoint.ts';
import { jsonReply } from '#shared/platform/http/reply.ts';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /health',
  summary: 'Says that the service answers',
  description: 'Says that the service answers.',
  produces: ['application/json'],
  handle: () => jsonReply({ status: 'ok' }, { 'cache-control': 'no-store' }),
});
