import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Payment } from '#shared/wire/payment.ts';

/** §2. */
export default endpoint({
  route: 'GET /payments/{payment_id}',
  summary: 'Get a payment',
  description: 'Reads a payment.',
  scope: 'payments:read',
  uses: { payments: ['get'] },
  returns: { 200: Payment },
  handle: async ({ path, attributes }, { payments }) => ok(await payments.get(path.payment_id, attributes)),
});
