import { endpoint } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { removeItem } from '#shared/invoicing/invoices/items.ts';
import { noContent } from '#shared/platform/http/reply.ts';

/** CONTRACT §4 Invoice rules. */
export default endpoint({
  route: 'DELETE /invoice-items/{invoice_item_id}',
  summary: 'Delete an invoice item',
  description:
    "Deletes an invoice item and reduces the invoice's total. The invoice must be a draft, or open without " +
    'payments, credit notes and number.',
  scope: 'invoices:write',
  uses: { invoiceItems: ['get', 'remove'], invoices: ['get', 'replace'] },
  ifMatch: resources.invoiceItems,
  returns: { 204: null },
  refuses: ['invoice-closed', 'invoice-issued', 'invoice-has-payments', 'invoice-has-credit-notes'],

  async handle({ path, checkPreconditions, now }, { invoiceItems, invoices }) {
    const item = checkPreconditions(await invoiceItems.get(path.invoice_item_id));
    const owner = await invoices.get(item.invoice_id);
    return noContent([...invoiceItems.remove(item), ...invoices.replace(owner, removeItem(owner, item, now))]);
  },
});
