import { inCurrencyOf, type NamesCurrencies } from '#shared/invoicing/invoices/rules.ts';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

/** The writable fields of a refund (CONTRACT §4). */
export interface RefundTerms {
  payment_id: number;
  /** In minor units, at least 1. Default: the amount that is not refunded yet. */
  amount_cents?: number;
  reason: string | null;
  external_id: string | null;
}

export interface Refund extends RefundTerms, Entity {
  readonly amount_cents: number;
  readonly invoice_id: number;
  readonly currency: string;
}

/**
 * Refunds a payment, in part or in full.
 * @returns the refund, and the payment after it
 * @throws ProblemError `payment-voided`, `amount-exceeds-refundable`
 */
export const createRefund = (
  before: Payment,
  body: RefundTerms & NamesCurrencies,
  creation: Creation,
): { refund: Refund; payment: Payment } => {
  if (before.voided_at !== null)
    throw new ProblemError('payment-voided', { field: 'payment_id', detail: `It was voided at ${before.voided_at}.` });
  const terms = inCurrencyOf(before, body);
  const amount_refundable_cents = before.amount_cents - before.amount_refunded_cents;
  const { amount_cents = amount_refundable_cents } = terms;
  if (amount_cents === 0 || amount_cents > amount_refundable_cents) {
    const detail = `The amount is ${amount_cents}; ${amount_refundable_cents} can be refunded.`;
    throw new ProblemError('amount-exceeds-refundable', {
      amount: 'amount_cents',
      detail,
      amounts: { amount_refundable_cents, currency: terms.currency },
    });
  }
  const amount_refunded_cents = before.amount_refunded_cents + amount_cents;
  return {
    refund: createEntity({ ...terms, amount_cents, invoice_id: before.invoice_id }, creation),
    payment: nextVersion(before, { ...before, amount_refunded_cents }, creation.at),
  };
};
