import { amountOf } from '#shared/invoicing/metrics.ts';
import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { refund as give } from '#shared/invoicing/refunds/rules.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { created } from '#shared/platform/http/reply.ts';

/** §2. */
export default endpoint({
  route: 'POST /refunds',
  summary: 'Create a refund',
  description: 'Gives a payment back, in part or in full.',
  scope: 'refunds:write',
  idempotency: 'required',
  uses: { payments: ['getReferenced', 'replace'], refunds: ['insert'] },
  metric: 'MoneyRefunded',
  body: Refund.create,
  returns: { 201: Refund },
  permits: ['refund.create'],
  refuses: ['amount-exceeds-refundable'],

  async handle({ body, permit, now, newId }, { payments, refunds }) {
    const payment = await payments.getReferenced('payment_id', body.payment_id);
    permit({ action: 'refund.create', resource: payment });
    const { refund, refunded } = give(payment, body, { id: newId(), at: now });
    return created(refund, [...refunds.insert(refund), ...payments.replace(payment, refunded)], amountOf(refund));
  },
});
