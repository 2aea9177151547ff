import { checkMetadata, type Metadata } from '#shared/invoicing/metadata/rules.ts';
import {
  applyMergePatch,
  type Creation,
  createEntity,
  type Entity,
  type MergePatch,
  nextVersion,
} from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'canceled'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

export const DEFAULT_CURRENCY = 'USD';

/** What a client writes of an invoice (CONTRACT §4). */
export interface InvoiceTerms {
  status: InvoiceStatus;
  /** Minor units of `currency`. */
  total_cents: number;
  currency: string;
  customer_id: number | null;
  due_date: string | null;
  description: string | null;
  metadata: Metadata;
}

/** A replacement may leave out what then stays or falls back (CONTRACT §4 Success). */
export type InvoiceReplacement = Omit<InvoiceTerms, 'status' | 'total_cents' | 'currency'> &
  Partial<Pick<InvoiceTerms, 'status' | 'total_cents' | 'currency'>>;

export interface Invoice extends InvoiceTerms, Entity {
  readonly amount_paid_cents: number;
  /** The items that its total is the sum of; a flat invoice has none. No part of the resource. */
  readonly item_ids: readonly number[];
  readonly paid_at: string | null;
  readonly canceled_at: string | null;
}

/** What is still to be paid, in minor units: nothing once the invoice is closed (CONTRACT §4 Invoice rules). */
export const amountDue = (invoice: Pick<Invoice, 'status' | 'total_cents' | 'amount_paid_cents'>): number =>
  isClosed(invoice) ? 0 : invoice.total_cents - invoice.amount_paid_cents;

export const isClosed = ({ status }: Pick<Invoice, 'status'>): boolean => status === 'paid' || status === 'canceled';
export const hasPayments = ({ amount_paid_cents }: Pick<Invoice, 'amount_paid_cents'>): boolean =>
  amount_paid_cents > 0;

const isItemized = ({ item_ids }: Invoice): boolean => item_ids.length > 0;

/** What a patch settles outside the service, in minor units; 0 when it settles nothing. */
export const amountSettled = (invoice: Invoice, patch: MergePatch<InvoiceTerms>): number =>
  patch.status === 'paid' ? amountDue({ ...invoice, total_cents: patch.total_cents ?? invoice.total_cents }) : 0;

export const createInvoice = (terms: InvoiceTerms, birth: Creation): Invoice =>
  createEntity({ ...terms, amount_paid_cents: 0, item_ids: [], paid_at: null, canceled_at: null }, birth);

/** PATCH (RFC 7396); `status: "paid"` settles outside the service. */
export const patchInvoice = (invoice: Invoice, patch: MergePatch<InvoiceTerms>, at: string): Invoice =>
  applyChange(invoice, checkMetadata(applyMergePatch(invoice, patch)), at, ['draft>open', 'open>paid']);

/** PUT: every writable field anew, except that a `status`, and the total of an itemized invoice, left out stay. */
export const replaceInvoice = (invoice: Invoice, terms: InvoiceReplacement, at: string): Invoice => {
  const left = isItemized(invoice) ? invoice : { total_cents: 0, currency: DEFAULT_CURRENCY };
  const { status = invoice.status, total_cents = left.total_cents, currency = left.currency } = terms;
  return applyChange(invoice, { ...invoice, ...terms, status, total_cents, currency }, at, ['draft>open']);
};

type Transition = `${InvoiceStatus}>${InvoiceStatus}`;

/** The rules that every change of an invoice's terms obeys (CONTRACT §4 Invoice rules). */
const applyChange = (before: Invoice, after: Invoice, at: string, transitions: readonly Transition[]): Invoice => {
  if (nextVersion(before, after, at) === before) return before;
  if (after.status !== before.status && !transitions.includes(`${before.status}>${after.status}`)) {
    const detail = `An invoice that is ${before.status} cannot become ${after.status} this way.`;
    throw new ProblemError('invalid-transition', { field: 'status', detail });
  }
  if (isClosed(before)) throw new ProblemError('invoice-closed', { detail: `The invoice is ${before.status}.` });
  if (isItemized(before) && after.total_cents !== before.total_cents) {
    const detail = 'The total of an itemized invoice is the sum of its items.';
    throw new ProblemError('validation-failed', { amount: 'total_cents', detail });
  }
  if (after.currency !== before.currency && (hasPayments(before) || isItemized(before))) {
    const detail = `The currency stays ${before.currency}: the invoice has ${isItemized(before) ? 'items' : 'payments'}.`;
    throw new ProblemError('currency-locked', { field: 'currency', amount: 'total_cents', detail });
  }
  if (after.total_cents < before.amount_paid_cents) {
    const detail = `The total would be ${after.total_cents}; ${before.amount_paid_cents} is paid already.`;
    throw new ProblemError('total-below-paid', { amount: 'total_cents', detail });
  }
  return nextVersion(before, settleIfPaid(after, at), at);
};

/** An invoice is paid when its client says so or when its payments reach the total. */
export const settleIfPaid = (invoice: Invoice, at: string): Invoice =>
  invoice.status === 'paid' || (hasPayments(invoice) && invoice.amount_paid_cents === invoice.total_cents)
    ? { ...invoice, status: 'paid', paid_at: at }
    : invoice;

/** POST cancel: ends a draft or an open invoice without payments; a canceled one stays as it is. */
export const cancelInvoice = (invoice: Invoice, at: string): Invoice => {
  if (invoice.status === 'canceled') return invoice;
  if (invoice.status === 'paid' || hasPayments(invoice)) {
    const detail = invoice.status === 'paid' ? 'The invoice is paid.' : 'The invoice has payments.';
    throw new ProblemError('invoice-not-cancelable', { detail });
  }
  return nextVersion(invoice, { ...invoice, status: 'canceled', canceled_at: at }, at);
};

/** DELETE takes a draft, open or canceled invoice without payments (CONTRACT §4, §12). */
export const checkDeletable = (invoice: Invoice): void => {
  if (hasPayments(invoice))
    throw new ProblemError('invoice-has-payments', {
      detail: `The amount already paid is ${invoice.amount_paid_cents}.`,
    });
  if (invoice.status === 'paid') throw new ProblemError('invoice-closed', { detail: 'The invoice is paid.' });
};
