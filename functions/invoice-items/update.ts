import { amendItem } from '#shared/domain/invoice-item.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { InvoiceItem } from '#shared/wire/invoice-item.ts';

/** §4 PATCH, RFC 7396. */
export default endpoint({
  route: 'PATCH /invoice-items/{invoice_item_id}',
  summary: 'Update an invoice item',
  description: 'Changes some fields of an invoice item, and its invoice with it.',
  scope: 'invoices:write',
  uses: { items: ['get', 'replace'], invoices: ['get', 'confirm'] },
  body: InvoiceItem.patch,
  returns: { 200: InvoiceItem },
  refuses: ['invoice-closed', 'invoice-has-payments'],

  async handle({ path, body, match, now }, { items, invoices }) {
    const before = match(await items.get(path.invoice_item_id));
    const owner = await invoices.get(before.invoice_id);
    const { item, invoice } = amendItem(owner, before, body, now);
    const writes = item === before ? [] : [...items.replace(before, item), ...invoices.confirm(owner, invoice)];
    return ok(item, writes);
  },
});
