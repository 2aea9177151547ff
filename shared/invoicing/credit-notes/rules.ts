import { type BillTo, type Customer, toBillTo } from '#shared/invoicing/customers/rules.ts';
import {
  amountDue,
  type Invoice,
  inCurrencyOf,
  type NamesCurrencies,
  settle,
} from '#shared/invoicing/invoices/rules.ts';
import type { Metadata } from '#shared/invoicing/metadata/rules.ts';
import { type NumberFields, type NumberSeries, takeNumber } from '#shared/invoicing/number-series/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

/** The writable fields of a credit note (CONTRACT §4). */
export interface CreditNoteTerms {
  invoice_id: number;
  /** In minor units, at least 1. Default: the amount that is not credited yet. */
  amount_cents?: number;
  reason: string | null;
  external_id: string | null;
  series_id: number | null;
  issue_date: string | null;
  metadata: Metadata;
}

export interface CreditNote extends CreditNoteTerms, NumberFields, Entity {
  readonly amount_cents: number;
  readonly currency: string;
  readonly bill_to: BillTo | null;
  /** The part of the amount that reduced what was due, in minor units. The rest can be refunded. */
  readonly applied_cents: number;
}

/** The members of which a credit note with a number depends. */
interface NumberSource {
  readonly series: NumberSeries | undefined;
  /** The customer of an invoice without `bill_to`. */
  readonly customer: Customer | undefined;
}

/** The part of the amount that reduced nothing: its money goes back by refunds, which are not linked. */
export const refundable = ({
  amount_cents,
  applied_cents,
}: Pick<CreditNote, 'amount_cents' | 'applied_cents'>): number => amount_cents - applied_cents;

/**
 * Credits an open or paid invoice, in part or in full.
 * @returns the credit note, the invoice after it, and the series after it took a number
 * @throws ProblemError `invoice-not-creditable`, `amount-exceeds-creditable`, `series-closed`, `issue-date-out-of-order`
 */
export const createCreditNote = (
  before: Invoice,
  body: CreditNoteTerms & NamesCurrencies,
  { series, customer }: NumberSource,
  creation: Creation,
): { readonly creditNote: CreditNote; readonly invoice: Invoice; readonly series: NumberSeries | undefined } => {
  if (before.status !== 'open' && before.status !== 'paid')
    throw new ProblemError('invoice-not-creditable', {
      field: 'invoice_id',
      detail: `The invoice is ${before.status}.`,
    });
  const terms = inCurrencyOf(before, body);
  const amount_creditable_cents = before.total_cents - before.amount_credited_cents;
  const { amount_cents = amount_creditable_cents } = terms;
  if (amount_cents === 0 || amount_cents > amount_creditable_cents)
    throw new ProblemError('amount-exceeds-creditable', {
      amount: 'amount_cents',
      detail: `The amount is ${amount_cents}; ${amount_creditable_cents} can be credited.`,
      amounts: { amount_creditable_cents, currency: terms.currency },
    });
  const taken = series && takeNumber(series, terms.issue_date, creation.at);
  const bill_to = before.bill_to ?? (customer ? toBillTo(customer) : null);
  const number = taken ? { ...taken.fields, bill_to } : { number: null, issued_at: null, bill_to: null };
  const applied_cents = Math.min(amount_cents, amountDue(before));
  const amount_credited_cents = before.amount_credited_cents + amount_cents;
  const after = settle({ ...before, amount_credited_cents }, creation.at);
  return {
    creditNote: createEntity({ ...terms, ...number, amount_cents, applied_cents }, creation),
    invoice: nextVersion(before, after, creation.at),
    series: taken?.series,
  };
};
