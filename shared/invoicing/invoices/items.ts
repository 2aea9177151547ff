import {
  addLine,
  grossAmount,
  type LineSums,
  NO_LINES,
  removeLine,
  sumOf,
} from '#shared/invoicing/invoice-items/lines.ts';
import type { InvoiceItem, InvoiceItemTerms } from '#shared/invoicing/invoice-items/rules.ts';
import {
  createInvoice,
  type Invoice,
  type InvoiceTerms,
  inCurrencyOf,
  isClosed,
  type NamesCurrencies,
  requireNoCreditNotes,
  requireNoPayments,
  requireNotIssued,
} from '#shared/invoicing/invoices/rules.ts';
import { applyMergePatch, type Creation, createEntity, type MergePatch, nextVersion } from '#shared/platform/entity.ts';
import { type ProblemDetails, ProblemError } from '#shared/platform/problem.ts';
import { MAX_CENTS } from '#shared/vocabulary.ts';

/** An invoice with the items that it is created with. */
export interface NewInvoice extends InvoiceTerms {
  readonly items: readonly (Omit<InvoiceItemTerms, 'invoice_id'> & NamesCurrencies)[];
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

/** EN 16931 names no limit; an invoice row must stay small. */
export const MAX_TAX_RATES = 10;

/**
 * With items, the total is their sum with tax. The ids of the items follow the id of the invoice, so that one query reads
 * all items.
 * @throws ProblemError `too-many-tax-rates`
 */
export const createInvoiceWithItems = ({ items: lines, ...terms }: NewInvoice, { id, at }: Creation) => {
  const items = lines.map((line, i): InvoiceItem => {
    return createEntity({ ...inCurrencyOf(terms, line), invoice_id: id }, { id: id + 1 + i, at });
  });
  const sums = items.length > 0 ? checkTaxRates(sumOf(items)) : { ...NO_LINES, total_cents: terms.total_cents };
  const item_ids = items.map((item) => item.id);
  return { invoice: createInvoice({ ...terms, ...sums, item_ids }, { id, at }), items };
};

/** The first item makes an invoice with total 0 itemized (CONTRACT §4 Invoice rules). */
export const addItem = (
  invoice: Invoice,
  body: InvoiceItemTerms & NamesCurrencies,
  creation: Creation,
): ItemAndInvoice => {
  checkMayChange(invoice);
  const terms = inCurrencyOf(invoice, body);
  if (invoice.item_ids.length === 0 && invoice.total_cents > 0)
    refuse({ field: 'invoice_id' }, 'The invoice has a total of its own.');
  if (invoice.item_ids.length >= MAX_ITEMS)
    refuse({ field: 'invoice_id' }, `An invoice has at most ${MAX_ITEMS} items.`);
  const item: InvoiceItem = checkDiscount(createEntity(terms, creation));
  return { item, invoice: withSums(invoice, addLine(invoice, item), [...invoice.item_ids, item.id], creation.at) };
};

export const patchItem = (
  invoice: Invoice,
  before: InvoiceItem,
  { currencies = {}, ...patch }: MergePatch<InvoiceItemTerms> & NamesCurrencies,
  at: string,
): ItemAndInvoice => {
  const after = applyMergePatch<InvoiceItemTerms, InvoiceItem>(before, patch);
  return applyItemChange(invoice, before, { ...after, currencies }, at);
};

export const replaceItem = (
  invoice: Invoice,
  before: InvoiceItem,
  body: InvoiceItemTerms & NamesCurrencies,
  at: string,
): ItemAndInvoice => applyItemChange(invoice, before, { ...before, ...body }, at);

const applyItemChange = (
  invoice: Invoice,
  before: InvoiceItem,
  requested: InvoiceItem & NamesCurrencies,
  at: string,
): ItemAndInvoice => {
  const after = inCurrencyOf(invoice, requested);
  const item = nextVersion(before, after, at);
  if (item === before) return { item, invoice };
  checkMayChange(invoice);
  if (after.invoice_id !== before.invoice_id) refuse({ field: 'invoice_id' }, 'The invoice of an item never changes.');
  checkDiscount(item);
  return { item, invoice: withSums(invoice, addLine(removeLine(invoice, before), item), invoice.item_ids, at) };
};

/** @returns the invoice without the item */
export const removeItem = (invoice: Invoice, item: InvoiceItem, at: string): Invoice => {
  checkMayChange(invoice);
  const remaining = invoice.item_ids.filter((id) => id !== item.id);
  return withSums(invoice, removeLine(invoice, item), remaining, at);
};

const checkDiscount = (item: InvoiceItem): InvoiceItem => {
  const gross = grossAmount(item);
  if (item.discount_cents > gross) refuse({ amount: 'discount_cents' }, `The discount must be at most ${gross}.`);
  return item;
};

const checkTaxRates = (sums: LineSums): LineSums => {
  if (sums.tax_sums.length > MAX_TAX_RATES)
    throw new ProblemError('too-many-tax-rates', { detail: `The items would have ${sums.tax_sums.length} tax rates.` });
  return sums;
};

/** Items change only while the invoice is a draft, or open without payments, credit notes and number (CONTRACT §4, §12). */
const checkMayChange = (invoice: Invoice): void => {
  if (isClosed(invoice)) throw new ProblemError('invoice-closed', { detail: `The invoice is ${invoice.status}.` });
  requireNotIssued(invoice);
  requireNoPayments(invoice);
  requireNoCreditNotes(invoice);
};

const withSums = (invoice: Invoice, sums: LineSums, item_ids: readonly number[], at: string): Invoice => {
  if (sums.total_cents > MAX_CENTS) refuse({ amount: 'unit_amount_cents' }, `The total would be above ${MAX_CENTS}.`);
  return nextVersion(invoice, { ...invoice, ...checkTaxRates(sums), item_ids }, at);
};

const refuse = (place: Pick<ProblemDetails, 'field' | 'amount'>, detail: string): never => {
  throw new ProblemError('validation-failed', { ...place, detail });
};
