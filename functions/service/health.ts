import { publicEndpoint } from '#shared/platform/http/endpoint.ts';
import { jsonReply } from '#shared/platform/http/reply.ts';

/** CONTRACT §4. */
export default publicEndpoint({
  route: 'GET /health',
  summary: 'Check that the service responds',
  description: 'Returns `{"status": "ok"}`. It does not check the database or other dependencies.',
  produces: {
    'application/json': {
      type: 'object',
      properties: { status: { type: 'string', const: 'ok' } },
      required: ['status'],
    },
  },
  handle: () => jsonReply({ status: 'ok' }, { 'cache-control': 'no-store' }),
});
