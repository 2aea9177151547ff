import type { StoresOf } from '#shared/invoicing/declarations.ts';
import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import type { ItemAndInvoice } from '#shared/invoicing/invoices/items.ts';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import { TornReadError } from '#shared/platform/declarations/resource.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export const ITEM_CHANGE_USES = { invoiceItems: ['get', 'replace'], invoices: ['get', 'checkVersion'] } as const;

/** The refusals of a new or changed item. */
export const ITEM_CHANGE_REFUSALS = [
  'invoice-closed',
  'invoice-issued',
  'invoice-has-payments',
  'invoice-has-credit-notes',
  'too-many-tax-rates',
] as const;

/**
 * Decides PATCH or PUT of an item by its invoice, which is read later. Another request may change both in between. The
 * conditions of a commit notice such a change, but a problem has no commit: a problem counts only while the item is
 * unchanged.
 * @throws TornReadError instead of a problem that was decided from two states
 */
export const changeItem = async (
  before: InvoiceItem,
  { invoiceItems, invoices }: StoresOf<typeof ITEM_CHANGE_USES>,
  change: (owner: Invoice) => ItemAndInvoice,
): Promise<{ readonly item: InvoiceItem; readonly writes: readonly Write[] }> => {
  const owner = await invoices.get(before.invoice_id);
  try {
    const { item, invoice } = change(owner);
    if (item === before) return { item, writes: [] };
    return { item, writes: [...invoiceItems.replace(before, item), ...invoices.checkVersion(owner, invoice)] };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { version } = await invoiceItems.get(before.id);
    throw version === before.version ? error : new TornReadError();
  }
};
