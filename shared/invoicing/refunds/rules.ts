import type { Payment } from '#shared/invoicing/payments/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { checkCurrency } from '#shared/platform/money.ts';
import { ProblemError } from '#shared/platform/problem.ts';

/** What a client writes of a refund (CONTRACT §4); a v2 body may name the payment's currency. */
export interface RefundTerms {
  payment_id: number;
  /** Minor units of the payment's currency, at least 1; all that is left without it. */
  amount_cents?: number;
  reason: string | null;
  currency?: string;
}

export interface Refund extends RefundTerms, Entity {
  readonly amount_cents: number;
  readonly invoice_id: number;
  readonly currency: string;
}

/**
 * Gives a payment back, in part or in full: the refund, and the payment that it is taken from (CONTRACT §4).
 * @throws ProblemError `amount-exceeds-refundable`
 */
export const refund = (
  payment: Payment,
  terms: RefundTerms,
  birth: Creation,
): { refund: Refund; refunded: Payment } => {
  checkCurrency('amount_cents', terms.currency, payment);
  const { currency, invoice_id } = payment;
  const amount_refundable_cents = payment.amount_cents - payment.amount_refunded_cents;
  const { amount_cents = amount_refundable_cents } = terms;
  if (amount_cents === 0 || amount_cents > amount_refundable_cents) {
    const detail = `The amount is ${amount_cents}; ${amount_refundable_cents} can be refunded.`;
    throw new ProblemError('amount-exceeds-refundable', {
      amount: 'amount_cents',
      detail,
      amounts: { amount_refundable_cents, currency },
    });
  }
  const amount_refunded_cents = payment.amount_refunded_cents + amount_cents;
  return {
    refund: createEntity({ ...terms, amount_cents, invoice_id, currency }, birth),
    refunded: nextVersion(payment, { ...payment, amount_refunded_cents }, birth.at),
  };
};
