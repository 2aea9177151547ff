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

/** The writable fields of an invoice (CONTRACT §4). */
export interface InvoiceTerms {
  status: InvoiceStatus;
  total_cents: number;
  currency: string;
  customer_id: number | null;
  due_date: string | null;
  description: string | null;
  metadata: Metadata;
}

/** PUT may leave out these fields: they keep their value or get the default (CONTRACT §4 Success). */
export type InvoiceReplacement = Omit<InvoiceTerms, 'status' | 'total_cents' | 'currency'> &
  Partial<Pick<InvoiceTerms, 'status' | 'total_cents' | 'currency'>>;

export interface Invoice extends InvoiceTerms, Entity {
  readonly amount_paid_cents: number;
  /** The items whose sum is the total; empty for a flat invoice. Not in responses. */
  readonly item_ids: readonly number[];
  readonly paid_at: string | null;
  readonly canceled_at: string | null;
}

/** In minor units; 0 once the invoice is closed (CONTRACT §4 Invoice rules). */
export const amountDue = (invoice: Pick<Invoice, 'status' | 'total_cents' | 'amount_paid_cents'>): number =>
  isClosed(invoice) ? 0 : invoice.total_cents - invoice.amount_paid_cents;

export const isClosed = ({ status }: Pick<Invoice, 'status'>): boolean => status === 'paid' || status === 'canceled';
export const hasPayments = ({ amount_paid_cents }: Pick<Invoice, 'amount_paid_cents'>): boolean =>
  amount_paid_cents > 0;

const isItemized = ({ item_ids }: Invoice): boolean => item_ids.length > 0;

/** The amount that a patch with `status: "paid"` settles outside the service, in minor units; otherwise 0. */
export const amountSettled = (invoice: Invoice, patch: MergePatch<InvoiceTerms>): number =>
  patch.status === 'paid' ? amountDue({ ...invoice, total_cents: patch.total_cents ?? invoice.total_cents }) : 0;

export const createInvoice = (terms: InvoiceTerms, creation: Creation): Invoice =>
  createEntity({ ...terms, amount_paid_cents: 0, item_ids: [], paid_at: null, canceled_at: null }, creation);

export const patchInvoice = (invoice: Invoice, patch: MergePatch<InvoiceTerms>, at: string): Invoice =>
  applyChange(invoice, checkMetadata(applyMergePatch(invoice, patch)), at, ['draft>open', 'open>paid']);

/** PUT without `status` keeps the status; without a total, it keeps the total of an itemized invoice. */
export const replaceInvoice = (invoice: Invoice, terms: InvoiceReplacement, at: string): Invoice => {
  const fallback = isItemized(invoice) ? invoice : { total_cents: 0, currency: DEFAULT_CURRENCY };
  const { status = invoice.status, total_cents = fallback.total_cents, currency = fallback.currency } = terms;
  return applyChange(invoice, { ...invoice, ...terms, status, total_cents, currency }, at, ['draft>open']);
};

type Transition = `${InvoiceStatus}>${InvoiceStatus}`;

/** The rules for PATCH and PUT (CONTRACT §4 Invoice rules). */
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

/** An invoice becomes `paid` by PATCH, or when its payments reach the total. */
export const settleIfPaid = (invoice: Invoice, at: string): Invoice =>
  invoice.status === 'paid' || (hasPayments(invoice) && invoice.amount_paid_cents === invoice.total_cents)
    ? { ...invoice, status: 'paid', paid_at: at }
    : invoice;

/** A canceled invoice stays unchanged (CONTRACT §4 Invoice rules). */
export const cancelInvoice = (invoice: Invoice, at: string): Invoice => {
  if (invoice.status === 'canceled') return invoice;
  if (invoice.status === 'paid' || hasPayments(invoice)) {
    const detail = invoice.status === 'paid' ? 'The invoice is paid.' : 'The invoice has payments.';
    throw new ProblemError('invoice-not-cancelable', { detail });
  }
  return nextVersion(invoice, { ...invoice, status: 'canceled', canceled_at: at }, at);
};

/** @throws ProblemError `invoice-has-payments`; `invoice-closed` when it was settled outside the service */
export const checkDeletable = (invoice: Invoice): void => {
  if (hasPayments(invoice))
    throw new ProblemError('invoice-has-payments', {
      detail: `The amount already paid is ${invoice.amount_paid_cents}.`,
    });
  if (invoice.status === 'paid') throw new ProblemError('invoice-closed', { detail: 'The invoice is paid.' });
};
