import { amountDue, checkCurrency, type Invoice, settleIfPaid } from '#shared/invoicing/invoices/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export const PAYMENT_METHODS = ['card', 'bank_transfer', 'cash', 'other'] as const;
export const PAYMENT_STATUSES = ['succeeded', 'partially_refunded', 'refunded'] as const;

/** The writable fields of a payment (CONTRACT §4). A body of v2 may repeat the invoice's currency. */
export interface PaymentTerms {
  invoice_id: number;
  /** In minor units, at least 1. */
  amount_cents: number;
  method: (typeof PAYMENT_METHODS)[number];
  reference: string | null;
  external_id: string | null;
  currency?: string;
}

export interface Payment extends PaymentTerms, Entity {
  readonly currency: string;
  readonly amount_refunded_cents: number;
  /** The `sub` of the caller who created the payment, for the rule `submitter`. It is not in responses. */
  readonly created_by: string;
}

export const paymentStatus = ({
  amount_cents,
  amount_refunded_cents,
}: Pick<Payment, 'amount_cents' | 'amount_refunded_cents'>): (typeof PAYMENT_STATUSES)[number] => {
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
  terms: PaymentTerms,
  { by, ...creation }: Creation & { by: string },
): { payment: Payment; invoice: Invoice } => {
  if (before.status !== 'open') {
    throw new ProblemError('invoice-not-payable', { field: 'invoice_id', detail: `The invoice is ${before.status}.` });
  }
  checkCurrency('amount_cents', terms.currency, before);
  const { currency } = before;
  const amount_due_cents = amountDue(before);
  if (terms.amount_cents > amount_due_cents) {
    const detail = `The amount is ${terms.amount_cents}; ${amount_due_cents} is due.`;
    throw new ProblemError('amount-exceeds-due', {
      amount: 'amount_cents',
      detail,
      amounts: { amount_due_cents, currency },
    });
  }
  const amount_paid_cents = before.amount_paid_cents + terms.amount_cents;
  return {
    payment: createEntity({ ...terms, currency, amount_refunded_cents: 0, created_by: by }, creation),
    invoice: nextVersion(before, settleIfPaid({ ...before, amount_paid_cents }, creation.at), creation.at),
  };
};
