import { type InvoiceItem, type InvoiceItemTerms, itemAmount, sumOf } from '#shared/invoicing/invoice-items/rules.ts';
import {
  checkCurrency,
  createInvoice,
  type Invoice,
  type InvoiceTerms,
  isClosed,
  requireNoCreditNotes,
  requireNoPayments,
  requireNotIssued,
} from '#shared/invoicing/invoices/rules.ts';
import { applyMergePatch, type Creation, createEntity, type MergePatch, nextVersion } from '#shared/platform/entity.ts';
import { type ProblemDetails, ProblemError } from '#shared/platform/problem.ts';
import { MAX_CENTS } from '#shared/vocabulary.ts';

/** An invoice with the items that it is created with. */
export interface NewInvoice extends InvoiceTerms {
  readonly items: readonly Omit<InvoiceItemTerms, 'invoice_id'>[];
}

/** An item and its invoice after a change of the item. */
export interface ItemAndInvoice {
  readonly item: InvoiceItem;
  readonly invoice: Invoice;
}

/**
 * One transaction creates or deletes an invoice with all its items (CONTRACT §4 Invoice rules). DynamoDB permits 100
 * actions. A creation has at most six actions besides its items: the idempotency record, the invoice, its unique value, its
 * customer's count, its number series and the outbox. A deletion has six too: neither a record nor a series, but two
 * actions of the page index.
 */
export const MAX_ITEMS = 90;

/**
 * With items, the total is their sum. The ids of the items follow the id of the invoice, so that one query reads all
 * items.
 */
export const createInvoiceWithItems = ({ items: lines, ...terms }: NewInvoice, { id, at }: Creation) => {
  const items = lines.map((line, i): InvoiceItem => {
    return createEntity({ ...line, invoice_id: id, currency: terms.currency }, { id: id + 1 + i, at });
  });
  const total_cents = items.length > 0 ? sumOf(items) : terms.total_cents;
  const item_ids = items.map((item) => item.id);
  return { invoice: createInvoice({ ...terms, total_cents }, { id, at }, item_ids), items };
};

/** The first item makes an invoice with total 0 itemized (CONTRACT §4 Invoice rules). */
export const addItem = (invoice: Invoice, terms: InvoiceItemTerms, creation: Creation): ItemAndInvoice => {
  checkMayChange(invoice);
  checkCurrency('unit_amount_cents', terms.currency, invoice);
  if (invoice.item_ids.length === 0 && invoice.total_cents > 0)
    refuse({ field: 'invoice_id' }, 'The invoice has a total of its own.');
  if (invoice.item_ids.length >= MAX_ITEMS)
    refuse({ field: 'invoice_id' }, `An invoice has at most ${MAX_ITEMS} items.`);
  const item: InvoiceItem = createEntity({ ...terms, currency: invoice.currency }, creation);
  return { item, invoice: withTotal(invoice, itemAmount(item), [...invoice.item_ids, item.id], creation.at) };
};

export const patchItem = (
  invoice: Invoice,
  before: InvoiceItem,
  patch: MergePatch<InvoiceItemTerms>,
  at: string,
): ItemAndInvoice => applyItemChange(invoice, before, applyMergePatch(before, patch), at);

export const replaceItem = (
  invoice: Invoice,
  before: InvoiceItem,
  terms: InvoiceItemTerms,
  at: string,
): ItemAndInvoice => applyItemChange(invoice, before, { ...before, ...terms }, at);

const applyItemChange = (invoice: Invoice, before: InvoiceItem, after: InvoiceItem, at: string): ItemAndInvoice => {
  checkCurrency('unit_amount_cents', after.currency, invoice);
  const item = nextVersion(before, after, at);
  if (item === before) return { item, invoice };
  checkMayChange(invoice);
  if (after.invoice_id !== before.invoice_id) refuse({ field: 'invoice_id' }, 'The invoice of an item never changes.');
  return { item, invoice: withTotal(invoice, itemAmount(after) - itemAmount(before), invoice.item_ids, at) };
};

/** @returns the invoice without the item */
export const removeItem = (invoice: Invoice, item: InvoiceItem, at: string): Invoice => {
  checkMayChange(invoice);
  const remaining = invoice.item_ids.filter((id) => id !== item.id);
  return withTotal(invoice, -itemAmount(item), remaining, at);
};

/** Items change only while the invoice is a draft, or open without payments, credit notes and number (CONTRACT §4, §12). */
const checkMayChange = (invoice: Invoice): void => {
  if (isClosed(invoice)) throw new ProblemError('invoice-closed', { detail: `The invoice is ${invoice.status}.` });
  requireNotIssued(invoice);
  requireNoPayments(invoice);
  requireNoCreditNotes(invoice);
};

const withTotal = (invoice: Invoice, cents: number, item_ids: readonly number[], at: string): Invoice => {
  const total_cents = invoice.total_cents + cents;
  if (total_cents > MAX_CENTS) refuse({ amount: 'unit_amount_cents' }, `The total would be above ${MAX_CENTS}.`);
  return nextVersion(invoice, { ...invoice, total_cents, item_ids }, at);
};

const refuse = (place: Pick<ProblemDetails, 'field' | 'amount'>, detail: string): never => {
  throw new ProblemError('validation-failed', { ...place, detail });
};
