import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { TornReadError } from '#shared/platform/resource.ts';

/** The stores, with the method that reads one member. */
interface Stores {
  readonly invoiceItems: { readonly get: (id: number) => Promise<InvoiceItem> };
  readonly invoices: { readonly get: (id: number) => Promise<Invoice> };
}

/**
 * Decides a change of an item by its invoice, which is read later. Another request may have changed both in between: the
 * conditions of the commit would notice it, but a problem has no commit, so it counts only while the item is the same.
 * @throws TornReadError instead of a problem that was decided from two states
 */
export const decideByInvoice = async <T>(
  item: InvoiceItem,
  { invoiceItems, invoices }: Stores,
  decide: (invoice: Invoice) => T,
): Promise<T> => {
  const invoice = await invoices.get(item.invoice_id);
  try {
    return decide(invoice);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { version } = await invoiceItems.get(item.id);
    throw version === item.version ? error : new TornReadError();
  }
};
