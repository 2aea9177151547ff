import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Payment } from '#shared/wire/payment.ts';

/** Reads a payment (§2). */
export default endpoint({
  route: 'GET /payments/{payment_id}',
  scope: 'payments:read',
  uses: { payments: ['get'] },
  returns: { 200: Payment },
  handle: async ({ path, attributes }, { payments }) => ok(await payments.get(path.payment_id, attributes)),
});
