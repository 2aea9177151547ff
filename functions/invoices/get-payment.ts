import { endpoint } from '#shared/invoicing/declarations.ts';
import { Payment } from '#shared/invoicing/payments/resource.ts';
import { ok } from '#shared/platform/http/reply.ts';
import { ProblemError } from '#shared/platform/problem.ts';

/** §1 Naming 3. */
export default endpoint({
  route: 'GET /invoices/{invoice_id}/payments/{payment_id}',
  summary: 'Get a payment of an invoice',
  description: 'Returns a payment of an invoice. If the payment belongs to another invoice, the response is 404.',
  scope: 'payments:read',
  uses: { payments: ['get'] },
  returns: { 200: Payment },

  async handle({ path, projection }, { payments }) {
    const payment = await payments.get(path.payment_id, projection && [...projection, 'invoice_id']);
    if (payment.invoice_id !== path.invoice_id) throw new ProblemError('not-found');
    return ok(payment);
  },
});
