import { endpoint } from '#shared/invoicing/declarations.ts';
import { decideByInvoice } from '#shared/invoicing/invoice-items/decide.ts';
import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { replaceItem } from '#shared/invoicing/invoices/items.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PUT /invoice-items/{invoice_item_id}',
  summary: 'Replace an invoice item',
  description:
    "Replaces all writable fields of an invoice item and updates the invoice's total. A field that you leave out " +
    'gets its default.',
  scope: 'invoices:write',
  uses: { invoiceItems: ['get', 'replace'], invoices: ['get', 'checkVersion'] },
  body: InvoiceItem.replace,
  ifMatch: InvoiceItem,
  returns: { 200: InvoiceItem },
  refuses: ['invoice-closed', 'invoice-has-payments'],

  async handle({ path, body, checkIfMatch, now }, { invoiceItems, invoices }) {
    const before = checkIfMatch(await invoiceItems.get(path.invoice_item_id));
    return decideByInvoice(before, { invoiceItems, invoices }, (owner) => {
      const { item, invoice } = replaceItem(owner, before, body, now);
      if (item === before) return ok(item, []);
      return ok(item, [...invoiceItems.replace(before, item), ...invoices.checkVersion(owner, invoice)]);
    });
  },
});
