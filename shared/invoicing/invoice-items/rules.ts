import { hasPayments, type Invoice, isClosed } from '#shared/invoicing/invoices/rules.ts';
import {
  applyMergePatch,
  type Creation,
  createEntity,
  type Entity,
  type MergePatch,
  nextVersion,
} from '#shared/platform/entity.ts';
import { checkCurrency, MAX_CENTS } from '#shared/platform/money.ts';
import { type ProblemDetails, ProblemError } from '#shared/platform/problem.ts';

/** What a client writes of an item (CONTRACT §4); a v2 body may name the invoice's currency. */
export interface InvoiceItemTerms {
  invoice_id: number;
  description: string;
  quantity: number;
  unit_amount_cents: number;
  currency?: string;
}

export interface InvoiceItem extends InvoiceItemTerms, Entity {
  /** The invoice's, which cannot change while the invoice has items. */
  readonly currency: string;
}

/** An item, and the invoice whose total it is a part of, after one change of both. */
export interface Itemized {
  readonly item: InvoiceItem;
  readonly invoice: Invoice;
}

/**
 * One transaction deletes an invoice with all of its items (CONTRACT §4 Invoice rules): DynamoDB takes 100 actions, of
 * which the invoice and its customer's count are two.
 */
const MAX_ITEMS = 95;

/** What an item adds to the total, in minor units. */
export const itemAmount = ({ quantity, unit_amount_cents }: Pick<InvoiceItem, 'quantity' | 'unit_amount_cents'>) =>
  quantity * unit_amount_cents;

/** POST: the first item makes an invoice with total 0 itemized (CONTRACT §4 Invoice rules). */
export const addItem = (invoice: Invoice, terms: InvoiceItemTerms, birth: Creation): Itemized => {
  checkMayChange(invoice);
  checkCurrency('unit_amount_cents', terms.currency, invoice);
  if (invoice.item_ids.length === 0 && invoice.total_cents > 0)
    refuse({ field: 'invoice_id' }, 'The invoice has a total of its own.');
  if (invoice.item_ids.length >= MAX_ITEMS)
    refuse({ field: 'invoice_id' }, `An invoice has at most ${MAX_ITEMS} items.`);
  const item: InvoiceItem = createEntity({ ...terms, currency: invoice.currency }, birth);
  return { item, invoice: withTotal(invoice, itemAmount(item), [...invoice.item_ids, item.id], birth.at) };
};

/** PATCH (RFC 7396). */
export const patchItem = (
  invoice: Invoice,
  before: InvoiceItem,
  patch: MergePatch<InvoiceItemTerms>,
  at: string,
): Itemized => applyItemChange(invoice, before, applyMergePatch(before, patch), at);

/** PUT: every writable field anew. */
export const replaceItem = (invoice: Invoice, before: InvoiceItem, terms: InvoiceItemTerms, at: string): Itemized =>
  applyItemChange(invoice, before, { ...before, ...terms }, at);

const applyItemChange = (invoice: Invoice, before: InvoiceItem, after: InvoiceItem, at: string): Itemized => {
  checkCurrency('unit_amount_cents', after.currency, invoice);
  const item = nextVersion(before, after, at);
  if (item === before) return { item, invoice };
  checkMayChange(invoice);
  if (after.invoice_id !== before.invoice_id) refuse({ field: 'invoice_id' }, 'The invoice of an item never changes.');
  return { item, invoice: withTotal(invoice, itemAmount(after) - itemAmount(before), invoice.item_ids, at) };
};

/** DELETE: the invoice without the item. */
export const removeItem = (invoice: Invoice, item: InvoiceItem, at: string): Invoice => {
  checkMayChange(invoice);
  const remaining = invoice.item_ids.filter((id) => id !== item.id);
  return withTotal(invoice, -itemAmount(item), remaining, at);
};

/** Items change only while the invoice is a draft, or open without payments (CONTRACT §4, §12). */
const checkMayChange = (invoice: Invoice): void => {
  if (isClosed(invoice)) throw new ProblemError('invoice-closed', { detail: `The invoice is ${invoice.status}.` });
  if (hasPayments(invoice))
    throw new ProblemError('invoice-has-payments', {
      detail: `The amount already paid is ${invoice.amount_paid_cents}.`,
    });
};

const withTotal = (invoice: Invoice, cents: number, item_ids: readonly number[], at: string): Invoice => {
  const total_cents = invoice.total_cents + cents;
  if (total_cents > MAX_CENTS) refuse({ amount: 'unit_amount_cents' }, `The total would be above ${MAX_CENTS}.`);
  return nextVersion(invoice, { ...invoice, total_cents, item_ids }, at);
};

const refuse = (place: Pick<ProblemDetails, 'field' | 'amount'>, detail: string): never => {
  throw new ProblemError('validation-failed', { ...place, detail });
};
