import { amountDue, type Invoice, settleIfPaid } from '#shared/invoicing/invoices/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { checkCurrency } from '#shared/platform/money.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export const PAYMENT_METHODS = ['card', 'bank_transfer', 'cash', 'other'] as const;
export const PAYMENT_STATUSES = ['succeeded', 'partially_refunded', 'refunded'] as const;

/** What a client writes of a payment (CONTRACT §4); a v2 body may name the invoice's currency. */
export interface PaymentTerms {
  invoice_id: number;
  /** Minor units of the invoice's currency, at least 1. */
  amount_cents: number;
  method: (typeof PAYMENT_METHODS)[number];
  reference: string | null;
  currency?: string;
}

export interface Payment extends PaymentTerms, Entity {
  readonly currency: string;
  readonly amount_refunded_cents: number;
  /** The subject who took it; no part of the resource. */
  readonly created_by: string;
}

/** How much of a payment has gone back, in a word. */
export const paymentStatus = ({
  amount_cents,
  amount_refunded_cents,
}: Pick<Payment, 'amount_cents' | 'amount_refunded_cents'>): (typeof PAYMENT_STATUSES)[number] => {
  if (amount_refunded_cents === 0) return 'succeeded';
  return amount_refunded_cents < amount_cents ? 'partially_refunded' : 'refunded';
};

/**
 * Pays an open invoice, in part or in full: the payment, and the invoice that has received it (CONTRACT §4).
 * @throws ProblemError `invoice-not-payable`, `amount-exceeds-due`
 */
export const pay = (
  invoice: Invoice,
  terms: PaymentTerms,
  { by, ...birth }: Creation & { by: string },
): { payment: Payment; paid: Invoice } => {
  if (invoice.status !== 'open') {
    throw new ProblemError('invoice-not-payable', { field: 'invoice_id', detail: `The invoice is ${invoice.status}.` });
  }
  checkCurrency('amount_cents', terms.currency, invoice);
  const { currency } = invoice;
  const amount_due_cents = amountDue(invoice);
  if (terms.amount_cents > amount_due_cents) {
    const detail = `The amount is ${terms.amount_cents}; ${amount_due_cents} is due.`;
    throw new ProblemError('amount-exceeds-due', {
      amount: 'amount_cents',
      detail,
      amounts: { amount_due_cents, currency },
    });
  }
  const amount_paid_cents = invoice.amount_paid_cents + terms.amount_cents;
  return {
    payment: createEntity({ ...terms, currency, amount_refunded_cents: 0, created_by: by }, birth),
    paid: nextVersion(invoice, settleIfPaid({ ...invoice, amount_paid_cents }, birth.at), birth.at),
  };
};
