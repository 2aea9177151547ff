import {
  amountDue,
  type Invoice,
  inCurrencyOf,
  type NamesCurrencies,
  settle,
} from '#shared/invoicing/invoices/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export const PAYMENT_METHODS = ['card', 'bank_transfer', 'cash', 'other'] as const;
export const PAYMENT_STATUSES = ['succeeded', 'partially_refunded', 'refunded', 'voided'] as const;

/** The writable fields of a payment (CONTRACT §4). */
export interface PaymentTerms {
  invoice_id: number;
  /** In minor units, at least 1. */
  amount_cents: number;
  method: (typeof PAYMENT_METHODS)[number];
  reference: string | null;
  external_id: string | null;
}

export interface Payment extends PaymentTerms, Entity {
  readonly currency: string;
  readonly amount_refunded_cents: number;
  /** The `sub` of the caller who created the payment, for the rule `submitter`. It is not in responses. */
  readonly created_by: string;
  readonly voided_at: string | null;
  readonly void_reason: string | null;
}

export const paymentStatus = ({
  amount_cents,
  amount_refunded_cents,
  voided_at,
}: Pick<Payment, 'amount_cents' | 'amount_refunded_cents' | 'voided_at'>): (typeof PAYMENT_STATUSES)[number] => {
  if (voided_at !== null) return 'voided';
  if (amount_refunded_cents === 0) return 'succeeded';
  return amount_refunded_cents < amount_cents ? 'partially_refunded' : 'refunded';
};

/**
 * Pays an open invoice, in part or in full.
 * @returns the payment, and the invoice after it
 * @throws ProblemError `invoice-not-payable`, `amount-exceeds-due`
 */
export const pay = (
  before: Invoice,
  body: PaymentTerms & NamesCurrencies,
  { by, ...creation }: Creation & { by: string },
): { payment: Payment; invoice: Invoice } => {
  if (before.status !== 'open') {
    throw new ProblemError('invoice-not-payable', { field: 'invoice_id', detail: `The invoice is ${before.status}.` });
  }
  const terms = inCurrencyOf(before, body);
  const amount_due_cents = amountDue(before);
  if (terms.amount_cents > amount_due_cents) {
    const detail = `The amount is ${terms.amount_cents}; ${amount_due_cents} is due.`;
    throw new ProblemError('amount-exceeds-due', {
      amount: 'amount_cents',
      detail,
      amounts: { amount_due_cents, currency: terms.currency },
    });
  }
  const after = {
    ...before,
    amount_paid_cents: before.amount_paid_cents + terms.amount_cents,
    payment_count: before.payment_count + 1,
  };
  const state = { amount_refunded_cents: 0, created_by: by, voided_at: null, void_reason: null };
  return {
    payment: createEntity({ ...terms, ...state }, creation),
    invoice: nextVersion(before, settle(after, creation.at), creation.at),
  };
};

/**
 * Voids a payment that was recorded by mistake; a voided one stays unchanged.
 * @returns the payment and its invoice, which is open again if its payments had settled it
 * @throws ProblemError `payment-has-refunds`
 */
export const voidPayment = (
  before: Payment,
  owner: Invoice,
  reason: string | null,
  at: string,
): { readonly payment: Payment; readonly invoice: Invoice } => {
  if (before.voided_at !== null) return { payment: before, invoice: owner };
  if (before.amount_refunded_cents > 0)
    throw new ProblemError('payment-has-refunds', {
      detail: `The amount already refunded is ${before.amount_refunded_cents}.`,
    });
  const amount_paid_cents = owner.amount_paid_cents - before.amount_cents;
  return {
    payment: nextVersion(before, { ...before, voided_at: at, void_reason: reason }, at),
    invoice: nextVersion(owner, settle({ ...owner, amount_paid_cents }, at), at),
  };
};
