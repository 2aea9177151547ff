import { endpoint } from '#shared/invoicing/declarations.ts';
import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { createRefund } from '#shared/invoicing/refunds/rules.ts';
import { created } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'POST /refunds',
  summary: 'Create a refund',
  description: 'Refunds a payment, in part or in full. The invoice does not change.',
  scope: 'refunds:write',
  idempotency: 'required',
  uses: { payments: ['getReferenced', 'replace'], refunds: ['insert'] },
  metric: 'MoneyRefunded',
  body: Refund.create,
  returns: { 201: Refund },
  permits: ['refund.create'],
  refuses: ['payment-voided', 'amount-exceeds-refundable'],

  async handle({ body, permit, now, newId }, { payments, refunds }) {
    const before = await payments.getReferenced('payment_id', body.payment_id);
    permit({ action: 'refund.create', resource: before });
    const { refund, payment } = createRefund(before, body, { id: newId(), at: now });
    const writes = [...refunds.insert(refund), ...payments.replace(before, payment)];
    return created(refund, writes, { amount: refund.amount_cents, currency: refund.currency });
  },
});
