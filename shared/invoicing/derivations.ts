import type { CreditNote } from '#shared/invoicing/credit-notes/rules.ts';
import { type Export, isUnfinished } from '#shared/invoicing/exports/rules.ts';
import { sumOf } from '#shared/invoicing/invoice-items/lines.ts';
import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import { type Invoice, type InvoiceStatus, isSettled, type Sums } from '#shared/invoicing/invoices/rules.ts';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import type { Refund } from '#shared/invoicing/refunds/rules.ts';
import type { Counter } from '#shared/vocabulary.ts';

/*
 * The values that the service stores although they follow from the facts: the items, the payments, the refunds, the
 * credit notes, and the fields that clients wrote. A state of an account is consistent when each stored value equals the derived value.
 */

const sumCents = (rows: readonly { readonly amount_cents: number }[]): number =>
  rows.reduce((cents, { amount_cents }) => cents + amount_cents, 0);

/** The rows that name an invoice, and decide its sums. */
export interface InvoiceFacts {
  readonly items: readonly InvoiceItem[];
  readonly payments: readonly Payment[];
  readonly creditNotes: readonly CreditNote[];
}

/**
 * The invoice that follows from its items, payments and credit notes (CONTRACT §4): `total_cents` and `tax_sums` are the sums of the
 * items, if it has items, `amount_paid_cents` is the sum of the payments that are not voided, `amount_credited_cents` is the sum
 * of the credit notes, and the total is at least what was paid and credited of it.
 */
export const derivedInvoice = (invoice: Invoice, facts: InvoiceFacts): Invoice => {
  const { items, payments, creditNotes } = facts;
  const ownTotal = invoice.item_ids.length > 0 ? 0 : invoice.total_cents;
  const lines = sumOf(items);
  const sums = {
    total_cents: Math.max(items.length > 0 ? lines.total_cents : ownTotal, leastTotal(facts)),
    amount_paid_cents: sumPaid(payments),
    amount_credited_cents: sumCents(creditNotes),
  };
  const status = derivedStatus(invoice, sums);
  const ids = new Set(items.map(({ id }) => id));
  return {
    ...invoice,
    ...sums,
    status,
    settlement: status === 'paid' ? settlementOf(invoice, sums) : null,
    payment_count: payments.length,
    tax_sums: lines.tax_sums,
    currency: (payments[0] ?? creditNotes[0] ?? items[0] ?? invoice).currency,
    item_ids: [...new Set([...invoice.item_ids.filter((id) => ids.has(id)), ...ids])],
    paid_at: status === 'paid' ? (invoice.paid_at ?? payments.at(-1)?.created_at ?? invoice.updated_at) : null,
    canceled_at: status === 'canceled' ? (invoice.canceled_at ?? invoice.updated_at) : null,
  };
};

const sumPaid = (payments: readonly Payment[]): number =>
  sumCents(payments.filter(({ voided_at }) => voided_at === null));

/** Nobody can credit more than the total, or pay what a credit note has reduced. */
const leastTotal = ({ payments, creditNotes }: InvoiceFacts): number => {
  const applied = creditNotes.reduce((cents, { applied_cents }) => cents + applied_cents, 0);
  return Math.max(sumPaid(payments) + applied, sumCents(creditNotes));
};

const settlementOf = ({ settlement }: Invoice, sums: Sums): Invoice['settlement'] =>
  settlement !== 'external' && sums.amount_paid_cents > 0 && isSettled(sums) ? 'payments' : 'external';

/**
 * Payments and credit notes prove that the invoice was open. A client can settle it outside of the service, with less than
 * the total.
 */
const derivedStatus = ({ status, settlement }: Invoice, sums: Sums): InvoiceStatus => {
  const { amount_paid_cents, amount_credited_cents } = sums;
  if (isSettled(sums) && amount_paid_cents > 0) return 'paid';
  if (isSettled(sums) && settlement !== 'external') return 'canceled';
  const wasOpened = amount_paid_cents > 0 || amount_credited_cents > 0;
  const isOpen = settlement === 'payments' || (wasOpened && (status === 'draft' || status === 'canceled'));
  return isOpen ? 'open' : status;
};

/** The amount by which the least total of an itemized invoice exceeds the sum of its items, because items are lost. */
export const lostCents = (facts: InvoiceFacts): number =>
  facts.items.length === 0 ? 0 : Math.max(0, leastTotal(facts) - sumOf(facts.items).total_cents);

export const derivedPayment = (payment: Payment, refunds: readonly Refund[]): Payment => ({
  ...payment,
  amount_refunded_cents: sumCents(refunds),
});

/** The rows that each counter of an account counts. */
export const COUNTED: {
  readonly [Name in Counter]: {
    readonly table: 'exports' | 'webhookEndpoints';
    readonly counts: (row: object) => boolean;
  };
} = {
  unfinished_exports: { table: 'exports', counts: (row) => isUnfinished(row as Export) },
  webhook_endpoints: { table: 'webhookEndpoints', counts: () => true },
};
