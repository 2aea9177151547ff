import { endpoint } from '#shared/invoicing/declarations.ts';
import { changeItem, ITEM_CHANGE_REFUSALS, ITEM_CHANGE_USES } from '#shared/invoicing/invoice-items/change.ts';
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
  uses: ITEM_CHANGE_USES,
  body: InvoiceItem.replace,
  ifMatch: InvoiceItem,
  returns: { 200: InvoiceItem },
  refuses: ITEM_CHANGE_REFUSALS,

  async handle({ path, body, checkPreconditions, now }, stores) {
    const before = checkPreconditions(await stores.invoiceItems.get(path.invoice_item_id));
    const { item, writes } = await changeItem(before, stores, (owner) => replaceItem(owner, before, body, now));
    return ok(item, writes);
  },
});
