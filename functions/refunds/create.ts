import { refund as give } from '#shared/domain/refund.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { created } from '#shared/http/reply.ts';
import { Refund } from '#shared/wire/refund.ts';

/** Gives a payment back, in part or in full (§2). */
export default endpoint({
  route: 'POST /refunds',
  scope: 'refunds:write',
  uses: { payments: ['getReferenced', 'replace'], refunds: ['insert'] },
  idempotency: 'required',
  counts: 'MoneyRefunded',
  body: Refund.create,
  returns: { 201: Refund },
  refuses: ['policy-denied', 'amount-exceeds-refundable'],

  async handle({ body, permit, now, newId }, { payments, refunds }) {
    const payment = await payments.getReferenced('payment_id', body.payment_id);
    permit({ action: 'refund.create', resource: payment });
    const { refund, refunded } = give(payment, body, { id: newId(), at: now });
    return created(refund, [...refunds.insert(refund), ...payments.replace(payment, refunded)]);
  },
});
