import { Payment } from '#shared/invoicing/payments/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /payments/{payment_id}',
  summary: 'Get a payment',
  description: 'Returns a payment.',
  scope: 'payments:read',
  uses: { payments: ['get'] },
  returns: { 200: Payment },
  handle: async ({ path, projection }, { payments }) => ok(await payments.get(path.payment_id, projection)),
});
