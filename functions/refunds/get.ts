import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /refunds/{refund_id}',
  summary: 'Get a refund',
  description: 'Returns a refund.',
  scope: 'refunds:read',
  uses: { refunds: ['get'] },
  returns: { 200: Refund },
  handle: async ({ path, projection }, { refunds }) => ok(await refunds.get(path.refund_id, projection)),
});
