import { isDeepStrictEqual } from 'node:util';
import type { BillTo } from '#shared/invoicing/customers/rules.ts';
import type { TaxSum } from '#shared/invoicing/invoice-items/lines.ts';
import { checkMetadata, type Metadata } from '#shared/invoicing/metadata/rules.ts';
import type { NumberFields } from '#shared/invoicing/number-series/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
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
  external_id: string | null;
  series_id: number | null;
  issue_date: string | null;
  metadata: Metadata;
}

/** The fields of a new invoice, each of which its request may leave out (CONTRACT §4). */
export const DEFAULT_TERMS: InvoiceTerms = {
  status: 'open',
  total_cents: 0,
  currency: DEFAULT_CURRENCY,
  customer_id: null,
  due_date: null,
  description: null,
  external_id: null,
  series_id: null,
  issue_date: null,
  metadata: {},
};

/** PUT may leave out these fields: the state of the invoice decides their value (CONTRACT §4 Success). */
export type InvoiceReplacement = Omit<InvoiceTerms, KeptByPut> & Partial<Pick<InvoiceTerms, KeptByPut>>;

type KeptByPut = 'status' | 'total_cents' | 'currency' | 'external_id' | 'series_id' | 'issue_date';

export const SETTLEMENTS = ['payments', 'external'] as const;

export interface Invoice extends InvoiceTerms, NumberFields, Entity {
  readonly bill_to: BillTo | null;
  /** The sum of the payments that are not voided. */
  readonly amount_paid_cents: number;
  /** The sum of its credit notes. Those of a paid invoice can exceed what payments left due. */
  readonly amount_credited_cents: number;
  /** Number of its payments, voided ones included. Not in responses. */
  readonly payment_count: number;
  /** How a `paid` invoice was settled; null otherwise. */
  readonly settlement: (typeof SETTLEMENTS)[number] | null;
  /** The items whose sum is the total; empty for a flat invoice. Not in responses. */
  readonly item_ids: readonly number[];
  /** The items by tax rate; empty for a flat invoice. Not in responses. */
  readonly tax_sums: readonly TaxSum[];
  readonly paid_at: string | null;
  readonly canceled_at: string | null;
}

/** The terms of a body of v2, which may name the currency of each amount. */
export interface NamesCurrencies {
  /** By the v1 name of the amount. */
  readonly currencies?: Readonly<Record<string, string>>;
}

/**
 * The terms in the currency of the resource that they belong to.
 * @throws ProblemError `validation-failed` when a body names another currency (CONTRACT §12)
 */
export const inCurrencyOf = <T extends NamesCurrencies>(
  { currency }: { readonly currency: string },
  { currencies = {}, ...terms }: T,
): Omit<T, 'currencies'> & { readonly currency: string } => {
  const other = Object.keys(currencies).find((amount) => currencies[amount] !== currency);
  if (other === undefined) return { ...terms, currency };
  throw new ProblemError('validation-failed', {
    ...{ field: 'currency', amount: other },
    detail: `The currency must be ${currency}.`,
  });
};

export type Sums = Pick<Invoice, 'total_cents' | 'amount_paid_cents' | 'amount_credited_cents'>;

/** In minor units; 0 once the invoice is closed (CONTRACT §4 Invoice rules). */
export const amountDue = (invoice: Sums & Pick<Invoice, 'status'>): number =>
  isClosed(invoice) ? 0 : unsettled(invoice);

/** The part of the total that payments and credit notes leave, in minor units; negative if they exceed it. */
const unsettled = ({ total_cents, amount_paid_cents, amount_credited_cents }: Sums): number =>
  total_cents - amount_paid_cents - amount_credited_cents;

/** Whether payments and credit notes leave nothing due of a total above 0. */
export const isSettled = (sums: Sums): boolean => sums.total_cents > 0 && unsettled(sums) <= 0;

export const isClosed = ({ status }: Pick<Invoice, 'status'>): boolean => status === 'paid' || status === 'canceled';
const hasPayments = ({ amount_paid_cents }: Invoice): boolean => amount_paid_cents > 0;
const hasCreditNotes = ({ amount_credited_cents }: Invoice): boolean => amount_credited_cents > 0;

const isItemized = ({ item_ids }: Invoice): boolean => item_ids.length > 0;

/** What locks the currency of an invoice, if anything does. */
const currencyLock = (invoice: Invoice): 'items' | 'payments' | 'credit notes' | undefined => {
  if (isItemized(invoice)) return 'items';
  if (invoice.payment_count > 0) return 'payments';
  return hasCreditNotes(invoice) ? 'credit notes' : undefined;
};

/**
 * The amount that a change to `status: "paid"` settles outside the service, in minor units; otherwise 0. It is the larger
 * of the amounts due before and after, because the same request can change the total (CONTRACT §2).
 */
export const amountSettled = (before: Invoice, { status, total_cents }: Invoice): number =>
  status === 'paid' ? Math.max(amountDue(before), amountDue({ ...before, total_cents })) : 0;

export const createInvoice = (
  terms: InvoiceTerms & Partial<Pick<Invoice, 'item_ids' | 'tax_sums'>>,
  creation: Creation,
): Invoice =>
  createEntity(
    {
      ...{ item_ids: [], tax_sums: [], ...terms, number: null, issued_at: null, bill_to: null },
      ...{ amount_paid_cents: 0, amount_credited_cents: 0, payment_count: 0 },
      ...{ settlement: null, paid_at: null, canceled_at: null },
    },
    creation,
  );

/** The invoice that a PUT asks for, before {@link changeInvoice} (CONTRACT §4 Success). */
export const replacedInvoice = (invoice: Invoice, terms: InvoiceReplacement): Invoice => {
  const { status } = invoice;
  const total_cents = isItemized(invoice) ? invoice.total_cents : 0;
  const currency = currencyLock(invoice) ? invoice.currency : DEFAULT_CURRENCY;
  return { ...invoice, status, total_cents, currency, ...terms };
};

const TRANSITIONS: readonly string[] = ['draft>open', 'open>paid'];

/** The rules for PATCH and PUT (CONTRACT §4 Invoice rules). */
export const changeInvoice = (before: Invoice, after: Invoice, at: string): Invoice => {
  checkMetadata(after);
  if (nextVersion(before, after, at) === before) return before;
  // Before the check of a closed invoice: "any other change of status" (CONTRACT §4) has no exception.
  if (after.status !== before.status && !TRANSITIONS.includes(`${before.status}>${after.status}`)) {
    const detail = `An invoice that is ${before.status} cannot become ${after.status} this way.`;
    throw new ProblemError('invalid-transition', { field: 'status', detail });
  }
  if (isClosed(before)) {
    const detail = `The invoice is ${before.status}: only its metadata and external_id can change.`;
    if (changesOther(before, after, OWN_FIELDS)) throw new ProblemError('invoice-closed', { detail });
    return nextVersion(before, after, at);
  }
  if (before.number !== null && changesOther(before, after, CHANGEABLE_FIELDS)) {
    const detail = `The invoice is issued: only its ${CHANGEABLE_FIELDS.join(', ')} can change.`;
    throw new ProblemError('invoice-issued', { detail });
  }
  if (isItemized(before) && after.total_cents !== before.total_cents) {
    const detail = 'The total of an itemized invoice is the sum of its items.';
    throw new ProblemError('validation-failed', { amount: 'total_cents', detail });
  }
  const lock = currencyLock(before);
  if (lock && after.currency !== before.currency) {
    const detail = `The currency stays ${before.currency}: the invoice has ${lock}.`;
    throw new ProblemError('currency-locked', { field: 'currency', amount: 'total_cents', detail });
  }
  if (unsettled(after) < 0) {
    const { amount_paid_cents: paid, amount_credited_cents: credited } = before;
    const detail = `The total would be ${after.total_cents}; ${paid} is paid and ${credited} is credited already.`;
    throw new ProblemError('total-below-paid', { amount: 'total_cents', detail });
  }
  return nextVersion(before, settle(after, at), at);
};

/** The client's own fields, which can change at any time. */
const OWN_FIELDS = ['metadata', 'external_id'] as const;
/** The fields of an issued invoice that can change (CONTRACT §4 Numbers and issued invoices). */
const CHANGEABLE_FIELDS = ['status', 'due_date', ...OWN_FIELDS] as const;

const changesOther = (before: Invoice, after: Invoice, fields: readonly (keyof Invoice)[]): boolean =>
  !isDeepStrictEqual({ ...after, ...Object.fromEntries(fields.map((name) => [name, before[name]])) }, before);

/**
 * The invoice after its sums changed, or after a PATCH or PUT to `paid` (CONTRACT §4 Invoice rules). When nothing is due,
 * payments settle it, and credit notes alone cancel it; when something is due after a void, it is open again. What was
 * settled outside the service stays.
 */
export const settle = (invoice: Invoice, at: string): Invoice => {
  const { status, settlement } = invoice;
  if (settlement === 'external' || status === 'draft' || status === 'canceled') return invoice;
  if (isSettled(invoice) && hasPayments(invoice))
    return settlement ? invoice : { ...invoice, status: 'paid', settlement: 'payments', paid_at: at };
  if (isSettled(invoice) && (settlement || status === 'open'))
    return { ...open(invoice), status: 'canceled', canceled_at: at };
  if (settlement) return open(invoice);
  return status === 'paid' ? { ...invoice, settlement: 'external', paid_at: at } : invoice;
};

const open = (invoice: Invoice): Invoice => ({ ...invoice, status: 'open', settlement: null, paid_at: null });

/**
 * Opens an invoice again that was settled outside the service; an open one stays unchanged.
 * @throws ProblemError `invoice-not-reopenable`
 */
export const reopenInvoice = (invoice: Invoice, at: string): Invoice => {
  if (invoice.status === 'open') return invoice;
  if (invoice.settlement === 'external' && !isSettled(invoice)) return nextVersion(invoice, open(invoice), at);
  const hints = {
    payments: 'Its payments settled it: they can be voided.',
    external: 'Its payments and credit notes leave nothing due.',
  };
  const detail = invoice.settlement ? hints[invoice.settlement] : `The invoice is ${invoice.status}.`;
  throw new ProblemError('invoice-not-reopenable', { detail });
};

/** A canceled invoice stays unchanged (CONTRACT §4 Invoice rules). */
export const cancelInvoice = (invoice: Invoice, at: string): Invoice => {
  if (invoice.status === 'canceled') return invoice;
  const refuse = (detail: string): never => {
    throw new ProblemError('invoice-not-cancelable', { detail });
  };
  if (invoice.status === 'paid') refuse('The invoice is paid.');
  if (hasPayments(invoice)) refuse('The invoice has payments.');
  if (hasCreditNotes(invoice)) refuse('The invoice has credit notes.');
  return nextVersion(invoice, { ...invoice, status: 'canceled', canceled_at: at }, at);
};

export const requireNoPayments = (invoice: Invoice): void => {
  if (!hasPayments(invoice)) return;
  throw new ProblemError('invoice-has-payments', {
    detail: `The amount already paid is ${invoice.amount_paid_cents}.`,
  });
};

export const requireNoCreditNotes = (invoice: Invoice): void => {
  if (!hasCreditNotes(invoice)) return;
  throw new ProblemError('invoice-has-credit-notes', {
    detail: `The amount already credited is ${invoice.amount_credited_cents}.`,
  });
};

export const requireNotIssued = ({ number }: Invoice): void => {
  if (number !== null) throw new ProblemError('invoice-issued', { detail: `The number of the invoice is ${number}.` });
};

/**
 * Voided payments count.
 * @throws ProblemError `invoice-issued`, `invoice-has-payments`, `invoice-has-credit-notes`; `invoice-closed` when it was
 * settled outside the service
 */
export const checkDeletable = (invoice: Invoice): void => {
  requireNotIssued(invoice);
  if (invoice.payment_count > 0)
    throw new ProblemError('invoice-has-payments', {
      detail: `The number of its payments is ${invoice.payment_count}.`,
    });
  requireNoCreditNotes(invoice);
  if (invoice.status === 'paid') throw new ProblemError('invoice-closed', { detail: 'The invoice is paid.' });
};
