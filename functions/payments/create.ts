import { endpoint } from '#shared/invoicing/declarations.ts';
import { Payment } from '#shared/invoicing/payments/resource.ts';
import { pay } from '#shared/invoicing/payments/rules.ts';
import { created } from '#shared/platform/http/reply.ts';

/** §2, §4 Idempotency. */
export default endpoint({
  route: 'POST /payments',
  summary: 'Create a payment',
  description:
    'Pays an open invoice, in part or in full. When its payments reach its total, the invoice becomes `paid`.',
  scope: 'payments:write',
  idempotency: 'required',
  uses: { invoices: ['getReferenced', 'replace'], payments: ['insert'] },
  metric: 'MoneyTaken',
  body: Payment.create,
  returns: { 201: Payment },
  permits: ['payment.create'],
  refuses: ['invoice-not-payable', 'amount-exceeds-due'],

  async handle({ body, caller, permit, now, newId }, { invoices, payments }) {
    const before = await invoices.getReferenced('invoice_id', body.invoice_id);
    permit({ action: 'payment.create', resource: body });
    const { payment, invoice } = pay(before, body, { id: newId(), at: now, by: caller.sub });
    const writes = [...payments.insert(payment), ...invoices.replace(before, invoice)];
    return created(payment, writes, { amount: payment.amount_cents, currency: payment.currency });
  },
});
