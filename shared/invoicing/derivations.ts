import { type Export, isUnfinished } from '#shared/invoicing/exports/rules.ts';
import { type InvoiceItem, sumOf } from '#shared/invoicing/invoice-items/rules.ts';
import type { Invoice, InvoiceStatus } from '#shared/invoicing/invoices/rules.ts';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import type { Refund } from '#shared/invoicing/refunds/rules.ts';
import type { Counter } from '#shared/vocabulary.ts';

/*
 * The values that the service stores although they follow from the facts: the items, the payments, the refunds, and the
 * fields that clients wrote. A state of an account is consistent when each stored value equals the derived value.
 */

const sumCents = (rows: readonly { readonly amount_cents: number }[]): number =>
  rows.reduce((cents, { amount_cents }) => cents + amount_cents, 0);

/**
 * The invoice that follows from its items and payments (CONTRACT §4): `total_cents` is the sum of the items, if it has
 * items, `amount_paid_cents` is the sum of the payments that are not voided, and the total is at least that sum.
 */
export const derivedInvoice = (
  invoice: Invoice,
  items: readonly InvoiceItem[],
  payments: readonly Payment[],
): Invoice => {
  const amount_paid_cents = sumPaid(payments);
  const ownTotal = invoice.item_ids.length > 0 ? 0 : invoice.total_cents;
  const total_cents = Math.max(items.length > 0 ? sumOf(items) : ownTotal, amount_paid_cents);
  const status = derivedStatus(invoice, total_cents, amount_paid_cents);
  const ids = new Set(items.map(({ id }) => id));
  return {
    ...invoice,
    status,
    settlement: status === 'paid' ? settlementOf(invoice, total_cents, amount_paid_cents) : null,
    total_cents,
    amount_paid_cents,
    payment_count: payments.length,
    currency: (payments[0] ?? items[0] ?? invoice).currency,
    item_ids: [...new Set([...invoice.item_ids.filter((id) => ids.has(id)), ...ids])],
    paid_at: status === 'paid' ? (invoice.paid_at ?? payments.at(-1)?.created_at ?? invoice.updated_at) : null,
    canceled_at: status === 'canceled' ? (invoice.canceled_at ?? invoice.updated_at) : null,
  };
};

const sumPaid = (payments: readonly Payment[]): number =>
  sumCents(payments.filter(({ voided_at }) => voided_at === null));

const settlementOf = ({ settlement }: Invoice, total: number, paid: number): Invoice['settlement'] =>
  settlement !== 'external' && paid > 0 && paid === total ? 'payments' : 'external';

/** Payments prove that the invoice was open. A client can settle it outside of the service, with less than the total. */
const derivedStatus = (invoice: Invoice, total: number, paid: number): InvoiceStatus => {
  const { status, settlement } = invoice;
  if (paid > 0 && paid === total) return 'paid';
  const isOpen = settlement === 'payments' || (paid > 0 && (status === 'draft' || status === 'canceled'));
  return isOpen ? 'open' : status;
};

/** The amount by which the payments of an itemized invoice exceed the sum of its items, because items are lost. */
export const lostCents = (items: readonly InvoiceItem[], payments: readonly Payment[]): number =>
  items.length === 0 ? 0 : Math.max(0, sumPaid(payments) - sumOf(items));

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
