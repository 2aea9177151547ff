import { endpoint } from '#shared/invoicing/declarations.ts';
import { changeItem, ITEM_CHANGE_REFUSALS, ITEM_CHANGE_USES } from '#shared/invoicing/invoice-items/change.ts';
import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { patchItem } from '#shared/invoicing/invoices/items.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PATCH /invoice-items/{invoice_item_id}',
  summary: 'Update an invoice item',
  description:
    "Changes only the fields that the body contains (JSON merge patch, RFC 7396) and updates the invoice's total.",
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: ITEM_CHANGE_USES,
  body: InvoiceItem.patch,
  ifMatch: InvoiceItem,
  returns: { 200: InvoiceItem },
  refuses: ITEM_CHANGE_REFUSALS,

  async handle({ path, body, checkPreconditions, now }, stores) {
    const before = checkPreconditions(await stores.invoiceItems.get(path.invoice_item_id));
    const { item, writes } = await changeItem(before, stores, (owner) => patchItem(owner, before, body, now));
    return ok(item, writes);
  },
});
