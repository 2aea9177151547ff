/*
 * A ledger in memory: the rules of CONTRACT §4 for invoices, items, payments, refunds and credit notes, for one
 * account and one request at a time. It is written from the contract alone and shares no code with the service.
 */

export interface InvoiceFields {
  status: string;
  total_cents: number;
  currency: string;
  description: string | null;
  due_date: string | null;
  external_id: string | null;
  series_id: number | null;
}

interface Series {
  prefix: string;
  last_number: number | null;
  status: string;
  version: number;
}

interface Invoice extends InvoiceFields {
  number: string | null;
  amount_paid_cents: number;
  amount_credited_cents: number;
  payment_count: number;
  settlement: 'payments' | 'external' | null;
  version: number;
}

interface Item {
  invoice_id: number;
  description: string;
  quantity: number;
  unit_amount_cents: number;
  /** Null, or 50, so that halves are exact. */
  tax_percent: number | null;
  version: number;
}

type Line = Omit<Item, 'invoice_id' | 'version'>;

/** The sum of lines and their tax, each rounded half up (CONTRACT §4 Lines and tax). */
const totalOf = (lines: readonly Line[]): number => {
  const sum = (of: readonly Line[]) =>
    of.reduce((cents, { quantity, unit_amount_cents }) => cents + Math.round(quantity * unit_amount_cents), 0);
  return sum(lines) + Math.round(sum(lines.filter(({ tax_percent }) => tax_percent !== null)) / 2);
};

interface Payment {
  invoice_id: number;
  amount_cents: number;
  amount_refunded_cents: number;
  created_by: string;
  void_reason: string | null;
  external_id: string | null;
  version: number;
}

interface CreditNoteFields {
  invoice_id: number;
  amount_cents: number | undefined;
  reason: string;
  external_id: string | null;
  series_id: number | null;
}

interface CreditNote extends CreditNoteFields {
  amount_cents: number;
  applied_cents: number;
  currency: string;
  number: string | null;
  version: number;
}

/** The token's subject and role; a machine client has no role. */
export interface Actor {
  readonly sub: string;
  readonly role: string | undefined;
}

export const CLERK_LIMIT_CENTS = 8;

/**
 * One of these refusals (status and code), or a success; `accept` then records the success under the new id, and the
 * items of a new invoice under their ids.
 */
export type Prediction =
  | { readonly refused: readonly string[]; readonly etag?: string }
  | { readonly status: number; readonly accept: (id: number, itemIds: readonly number[]) => void };

const refused = (...codes: readonly string[]): Prediction => ({ refused: codes });
const NOT_FOUND = refused('404 not-found');
const UNCHANGED: Prediction = { status: 200, accept: () => {} };

const TAKEN = refused('409 already-taken');

const isClosed = ({ status }: Invoice) => status === 'paid' || status === 'canceled';
const paidAndCredited = ({ amount_paid_cents, amount_credited_cents }: Invoice) =>
  amount_paid_cents + amount_credited_cents;

export const dueOf = (invoice: Invoice): number =>
  isClosed(invoice) ? 0 : invoice.total_cents - paidAndCredited(invoice);

export class Ledger {
  readonly numberSeries = new Map<number, Series>();
  readonly invoices = new Map<number, Invoice>();
  readonly invoiceItems = new Map<number, Item>();
  readonly payments = new Map<number, Payment>();
  readonly refunds = new Map<number, { payment_id: number; amount_cents: number }>();
  readonly creditNotes = new Map<number, CreditNote>();

  itemsOf = (invoice_id: number) => [...this.invoiceItems].filter(([, item]) => item.invoice_id === invoice_id);

  /** The ids of the invoices of a status that have a due date, in the order of these dates. */
  dueInvoices(status: string): number[] {
    const due = [...this.invoices].flatMap(([id, invoice]) =>
      invoice.status === status && invoice.due_date !== null ? [{ id, date: invoice.due_date }] : [],
    );
    return due.sort((a, b) => a.date.localeCompare(b.date) || a.id - b.id).map(({ id }) => id);
  }

  createSeries(prefix: string): Prediction {
    if ([...this.numberSeries.values()].some((series) => series.prefix === prefix)) return TAKEN;
    const series = { prefix, last_number: null, status: 'active', version: 1 };
    return { status: 201, accept: (id) => this.numberSeries.set(id, series) };
  }

  changeSeries(id: number, status: string): Prediction {
    const series = this.numberSeries.get(id);
    if (!series) return NOT_FOUND;
    if (series.status === status) return UNCHANGED;
    return { status: 200, accept: () => Object.assign(series, { status, version: series.version + 1 }) };
  }

  deleteSeries(id: number): Prediction {
    const series = this.numberSeries.get(id);
    if (!series) return NOT_FOUND;
    if (series.last_number !== null) return refused('409 series-in-use');
    return { status: 204, accept: () => this.numberSeries.delete(id) };
  }

  createInvoice({
    status = 'open',
    total_cents,
    currency = 'USD',
    description = null,
    due_date = null,
    external_id = null,
    series_id = null,
    items = [],
  }: Partial<InvoiceFields> & { readonly items?: readonly Line[] }): Prediction {
    const sum = totalOf(items);
    const total = items.length > 0 ? sum : (total_cents ?? 0);
    if (total_cents !== undefined && total_cents !== total) return refused('422 validation-failed');
    if (series_id !== null && !this.numberSeries.has(series_id)) return NOT_FOUND;
    const terms = { status, total_cents: total, currency, description, due_date, external_id, series_id };
    const state = { number: null, amount_paid_cents: 0, amount_credited_cents: 0, payment_count: 0, settlement: null };
    const invoice: Invoice = { ...terms, ...state, version: 1 };
    if (this.#isToBeIssued(invoice) && this.#isSeriesClosed(series_id)) return refused('422 series-closed');
    if (isTaken(this.invoices, external_id)) return TAKEN;
    const accept = (id: number, itemIds: readonly number[]) => {
      this.invoices.set(id, invoice);
      this.#issue(invoice);
      for (const [i, line] of items.entries())
        this.invoiceItems.set(itemIds[i] as number, { invoice_id: id, ...line, version: 1 });
    };
    return { status: 201, accept };
  }

  changeInvoice(
    id: number,
    method: 'PATCH' | 'PUT',
    change: Partial<InvoiceFields>,
    { role }: Actor,
    version?: number,
  ): Prediction {
    const invoice = this.invoices.get(id);
    if (!invoice) return NOT_FOUND;
    const itemized = this.itemsOf(id).length > 0;
    const locked = itemized || invoice.payment_count > 0 || invoice.amount_credited_cents > 0;
    const { status, total_cents, currency, description, due_date, external_id, series_id } = invoice;
    const omitted = {
      PATCH: { status, total_cents, currency, description, due_date, external_id, series_id },
      PUT: {
        status,
        total_cents: itemized ? total_cents : 0,
        currency: locked ? currency : 'USD',
        description: null,
        due_date: null,
        external_id,
        series_id,
      },
    };
    const after = { ...omitted[method], ...change };
    const next = { ...invoice, ...after };
    const needsSeries = after.series_id !== null && (after.series_id !== series_id || this.#isToBeIssued(next));
    if (needsSeries && !this.numberSeries.has(after.series_id as number)) return NOT_FOUND;
    const due = Math.max(total_cents, after.total_cents) - paidAndCredited(invoice);
    const settles = change.status === 'paid' && !isClosed(invoice);
    if (role === 'clerk' && settles && due > CLERK_LIMIT_CENTS) return refused('403 policy-denied');
    if (version !== undefined && version !== invoice.version) return stale(invoice);
    if (JSON.stringify(after) === JSON.stringify(omitted.PATCH)) return UNCHANGED;
    const transition = `${status}>${after.status}`;
    if (after.status !== status && !['draft>open', 'open>paid'].includes(transition)) {
      return refused('422 invalid-transition');
    }
    const isFixed = isClosed(invoice) && JSON.stringify({ ...after, external_id }) !== JSON.stringify(omitted.PATCH);
    if (isFixed) return refused('422 invoice-closed');
    const free = { ...after, external_id, due_date, status };
    const isFrozen = invoice.number !== null && JSON.stringify(free) !== JSON.stringify(omitted.PATCH);
    if (isFrozen) return refused('422 invoice-issued');
    const codes = [
      ...(itemized && after.total_cents !== total_cents ? ['422 validation-failed'] : []),
      ...(locked && after.currency !== currency ? ['422 currency-locked'] : []),
      ...(after.total_cents < paidAndCredited(invoice) ? ['422 total-below-paid'] : []),
    ];
    if (codes.length > 0) return refused(...codes);
    if (this.#isToBeIssued(next) && this.#isSeriesClosed(next.series_id)) return refused('422 series-closed');
    if (after.external_id !== external_id && isTaken(this.invoices, after.external_id)) return TAKEN;
    const accept = () => {
      this.#write(invoice, after);
      this.#issue(invoice);
    };
    return { status: 200, accept };
  }

  cancel(id: number, version?: number): Prediction {
    const invoice = this.invoices.get(id);
    if (!invoice) return NOT_FOUND;
    if (version !== undefined && version !== invoice.version) return stale(invoice);
    if (invoice.status === 'canceled') return UNCHANGED;
    if (invoice.status === 'paid' || paidAndCredited(invoice) > 0) return refused('409 invoice-not-cancelable');
    return { status: 200, accept: () => this.#write(invoice, { status: 'canceled' }) };
  }

  reopen(id: number, { role }: Actor): Prediction {
    const invoice = this.invoices.get(id);
    if (!invoice) return NOT_FOUND;
    if (role === 'clerk') return refused('403 policy-denied');
    if (invoice.status === 'open') return UNCHANGED;
    if (invoice.settlement !== 'external' || isCovered(invoice)) return refused('409 invoice-not-reopenable');
    return { status: 200, accept: () => this.#write(invoice, { status: 'open', settlement: null }) };
  }

  delete(id: number, version?: number): Prediction {
    const invoice = this.invoices.get(id);
    if (!invoice) return NOT_FOUND;
    if (version !== undefined && version !== invoice.version) return stale(invoice);
    if (invoice.number !== null) return refused('409 invoice-issued');
    if (invoice.payment_count > 0) return refused('409 invoice-has-payments');
    if (invoice.amount_credited_cents > 0) return refused('409 invoice-has-credit-notes');
    if (invoice.status === 'paid') return refused('409 invoice-closed');
    const accept = () => {
      for (const [item] of this.itemsOf(id)) this.invoiceItems.delete(item);
      this.invoices.delete(id);
    };
    return { status: 204, accept };
  }

  addItem(invoice_id: number, line: Line): Prediction {
    const invoice = this.invoices.get(invoice_id);
    if (!invoice) return NOT_FOUND;
    const locked = itemsLocked(invoice);
    if (locked) return locked;
    if (this.itemsOf(invoice_id).length === 0 && invoice.total_cents > 0) return refused('422 validation-failed');
    const accept = (id: number) => {
      this.invoiceItems.set(id, { invoice_id, ...line, version: 1 });
      this.#updateTotal(invoice_id, true);
    };
    return { status: 201, accept };
  }

  changeItem(id: number, change: Partial<Omit<Item, 'version'>>, version?: number): Prediction {
    const item = this.invoiceItems.get(id);
    if (!item) return NOT_FOUND;
    if (version !== undefined && version !== item.version) return stale(item);
    const after = { ...item, ...change };
    if (JSON.stringify(after) === JSON.stringify(item)) return UNCHANGED;
    const locked = itemsLocked(this.invoices.get(item.invoice_id) as Invoice);
    if (locked) return locked;
    if (after.invoice_id !== item.invoice_id) return refused('422 validation-failed');
    const accept = () => {
      Object.assign(item, change, { version: item.version + 1 });
      this.#updateTotal(item.invoice_id, false);
    };
    return { status: 200, accept };
  }

  deleteItem(id: number): Prediction {
    const item = this.invoiceItems.get(id);
    if (!item) return NOT_FOUND;
    const locked = itemsLocked(this.invoices.get(item.invoice_id) as Invoice);
    if (locked) return locked;
    const accept = () => {
      this.invoiceItems.delete(id);
      this.#updateTotal(item.invoice_id, true);
    };
    return { status: 204, accept };
  }

  pay(invoice_id: number, amount: number, external_id: string | null, { sub, role }: Actor): Prediction {
    const invoice = this.invoices.get(invoice_id);
    if (!invoice) return NOT_FOUND;
    if (role === 'clerk' && amount > CLERK_LIMIT_CENTS) return refused('403 policy-denied');
    if (invoice.status !== 'open') return refused('422 invoice-not-payable');
    if (amount > dueOf(invoice)) return refused('422 amount-exceeds-due');
    if (isTaken(this.payments, external_id)) return TAKEN;
    const accept = (id: number) => {
      this.payments.set(id, {
        invoice_id,
        amount_cents: amount,
        amount_refunded_cents: 0,
        created_by: sub,
        void_reason: null,
        external_id,
        version: 1,
      });
      const { amount_paid_cents, payment_count } = invoice;
      this.#write(invoice, { amount_paid_cents: amount_paid_cents + amount, payment_count: payment_count + 1 });
    };
    return { status: 201, accept };
  }

  void(payment_id: number, void_reason: string, { sub, role }: Actor): Prediction {
    const payment = this.payments.get(payment_id);
    if (!payment) return NOT_FOUND;
    if (role === 'clerk' && sub !== payment.created_by) return refused('403 policy-denied');
    if (payment.void_reason !== null) return UNCHANGED;
    if (payment.amount_refunded_cents > 0) return refused('409 payment-has-refunds');
    const accept = () => {
      Object.assign(payment, { void_reason, version: payment.version + 1 });
      const invoice = this.invoices.get(payment.invoice_id) as Invoice;
      const isOpen = invoice.settlement === 'payments' && { status: 'open', settlement: null };
      this.#write(invoice, { amount_paid_cents: invoice.amount_paid_cents - payment.amount_cents, ...isOpen });
    };
    return { status: 200, accept };
  }

  refund(payment_id: number, requested: number | undefined, { sub, role }: Actor): Prediction {
    const payment = this.payments.get(payment_id);
    if (!payment) return NOT_FOUND;
    if (role === 'accountant' && sub === payment.created_by) return refused('403 policy-denied');
    if (payment.void_reason !== null) return refused('422 payment-voided');
    const rest = payment.amount_cents - payment.amount_refunded_cents;
    const amount = requested ?? rest;
    if (rest === 0 || amount > rest) return refused('422 amount-exceeds-refundable');
    const accept = (id: number) => {
      this.refunds.set(id, { payment_id, amount_cents: amount });
      payment.amount_refunded_cents += amount;
      payment.version += 1;
    };
    return { status: 201, accept };
  }

  credit(terms: CreditNoteFields): Prediction {
    const { invoice_id, external_id, series_id } = terms;
    const invoice = this.invoices.get(invoice_id);
    if (!invoice || (series_id !== null && !this.numberSeries.has(series_id))) return NOT_FOUND;
    if (invoice.status !== 'open' && invoice.status !== 'paid') return refused('422 invoice-not-creditable');
    const creditable = invoice.total_cents - invoice.amount_credited_cents;
    const { amount_cents = creditable } = terms;
    if (creditable === 0 || amount_cents > creditable) return refused('422 amount-exceeds-creditable');
    if (this.#isSeriesClosed(series_id)) return refused('422 series-closed');
    if (isTaken(this.creditNotes, external_id)) return TAKEN;
    const accept = (id: number) => {
      const applied_cents = Math.min(amount_cents, dueOf(invoice));
      const number = this.#takeNumber(series_id);
      const { currency } = invoice;
      this.creditNotes.set(id, { ...terms, amount_cents, applied_cents, currency, number, version: 1 });
      this.#write(invoice, { amount_credited_cents: invoice.amount_credited_cents + amount_cents });
    };
    return { status: 201, accept };
  }

  #isToBeIssued = ({ series_id, number, status }: Pick<Invoice, 'series_id' | 'number' | 'status'>): boolean =>
    series_id !== null && number === null && (status === 'open' || status === 'paid');

  #isSeriesClosed = (id: number | null): boolean => this.numberSeries.get(id as number)?.status === 'closed';

  #issue(invoice: Invoice): void {
    if (this.#isToBeIssued(invoice)) invoice.number = this.#takeNumber(invoice.series_id);
  }

  #takeNumber(series_id: number | null): string | null {
    const series = this.numberSeries.get(series_id as number);
    if (!series) return null;
    series.last_number = (series.last_number ?? 0) + 1;
    series.version += 1;
    return `${series.prefix}${String(series.last_number).padStart(5, '0')}`;
  }

  #updateTotal(invoice_id: number, writesSameTotal: boolean): void {
    const invoice = this.invoices.get(invoice_id) as Invoice;
    const total_cents = totalOf(this.itemsOf(invoice_id).map(([, item]) => item));
    if (writesSameTotal || total_cents !== invoice.total_cents) this.#write(invoice, { total_cents });
  }

  /** Writes one change of the stored state. An open invoice of which nothing is due is paid, or canceled without payments. */
  #write(invoice: Invoice, change: Partial<Invoice>): void {
    Object.assign(invoice, change, { version: invoice.version + 1 });
    const hasPayments = invoice.amount_paid_cents > 0;
    if (invoice.status === 'open' && isCovered(invoice)) invoice.status = hasPayments ? 'paid' : 'canceled';
    if (invoice.status === 'paid') invoice.settlement ??= hasPayments && isCovered(invoice) ? 'payments' : 'external';
  }
}

/** Whether payments and credit notes leave nothing due of a total above 0. */
const isCovered = (invoice: Invoice): boolean =>
  invoice.total_cents > 0 && paidAndCredited(invoice) >= invoice.total_cents;

const isTaken = (members: Map<number, { external_id: string | null }>, external_id: string | null): boolean =>
  external_id !== null && [...members.values()].some((member) => member.external_id === external_id);

const stale = ({ version }: { version: number }): Prediction => ({
  refused: ['412 precondition-failed'],
  etag: `"${version}"`,
});

const itemsLocked = (invoice: Invoice): Prediction | undefined => {
  if (isClosed(invoice)) return refused('422 invoice-closed');
  if (invoice.number !== null) return refused('422 invoice-issued');
  if (invoice.amount_paid_cents > 0) return refused('409 invoice-has-payments');
  return invoice.amount_credited_cents > 0 ? refused('409 invoice-has-credit-notes') : undefined;
};
