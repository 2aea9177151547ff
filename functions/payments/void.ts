import { endpoint } from '#shared/invoicing/declarations.ts';
import { Payment, Voiding } from '#shared/invoicing/payments/resource.ts';
import { voidPayment } from '#shared/invoicing/payments/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** §1 Naming 4; CONTRACT §4 Payment and refund rules. */
export default endpoint({
  route: 'POST /payments/{payment_id}/void',
  summary: 'Void a payment',
  description:
    'Voids a payment that was recorded by mistake: it no longer counts for its invoice, which is open again if its payments had ' +
    'settled it. A payment with refunds cannot be voided. If it is already voided, nothing changes.',
  scope: 'payments:write',
  idempotency: 'optional',
  uses: { payments: ['get', 'replace'], invoices: ['get', 'replace'] },
  body: Voiding,
  isBodyOptional: true,
  ifMatch: Payment,
  returns: { 200: Payment },
  permits: ['payment.void'],
  refuses: ['payment-has-refunds'],

  async handle({ path, body, permit, checkPreconditions, now }, { payments, invoices }) {
    const before = await payments.get(path.payment_id);
    permit({ action: 'payment.void', resource: before });
    checkPreconditions(before);
    const owner = await invoices.get(before.invoice_id);
    const { payment, invoice } = voidPayment(before, owner, body.reason, now);
    return ok(payment, [...payments.replace(before, payment), ...invoices.replace(owner, invoice)]);
  },
});
