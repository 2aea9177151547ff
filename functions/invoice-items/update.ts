import { endpoint } from '#shared/invoicing/declarations.ts';
import { decideByInvoice } from '#shared/invoicing/invoice-items/decide.ts';
import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { patchItem } from '#shared/invoicing/invoices/items.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PATCH /invoice-items/{invoice_item_id}',
  summary: 'Update an invoice item',
  description:
    "Changes only the fields that the body contains (JSON merge patch, RFC 7396) and updates the invoice's total.",
  scope: 'invoices:write',
  uses: { invoiceItems: ['get', 'replace'], invoices: ['get', 'checkVersion'] },
  body: InvoiceItem.patch,
  ifMatch: InvoiceItem,
  returns: { 200: InvoiceItem },
  refuses: ['invoice-closed', 'invoice-has-payments'],

  async handle({ path, body, checkIfMatch, now }, { invoiceItems, invoices }) {
    const before = checkIfMatch(await invoiceItems.get(path.invoice_item_id));
    return decideByInvoice(before, { invoiceItems, invoices }, (owner) => {
      const { item, invoice } = patchItem(owner, before, body, now);
      if (item === before) return ok(item, []);
      return ok(item, [...invoiceItems.replace(before, item), ...invoices.checkVersion(owner, invoice)]);
    });
  },
});
