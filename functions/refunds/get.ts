import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Refund } from '#shared/wire/refund.ts';

/** §2. */
export default endpoint({
  route: 'GET /refunds/{refund_id}',
  summary: 'Get a refund',
  description: 'Reads a refund.',
  scope: 'refunds:read',
  uses: { refunds: ['get'] },
  returns: { 200: Refund },
  handle: async ({ path, attributes }, { refunds }) => ok(await refunds.get(path.refund_id, attributes)),
});
