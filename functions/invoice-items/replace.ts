import { restateItem } from '#shared/domain/invoice-item.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { InvoiceItem } from '#shared/wire/invoice-item.ts';

/** §4 PUT. */
export default endpoint({
  route: 'PUT /invoice-items/{invoice_item_id}',
  summary: 'Replace an invoice item',
  description: 'Replaces every writable field of an invoice item, and changes its invoice with it.',
  scope: 'invoices:write',
  uses: { items: ['get', 'replace'], invoices: ['get', 'confirm'] },
  body: InvoiceItem.replace,
  returns: { 200: InvoiceItem },
  refuses: ['invoice-closed', 'invoice-has-payments'],

  async handle({ path, body, match, now }, { items, invoices }) {
    const before = match(await items.get(path.invoice_item_id));
    const owner = await invoices.get(before.invoice_id);
    const { item, invoice } = restateItem(owner, before, body, now);
    const writes = item === before ? [] : [...items.replace(before, item), ...invoices.confirm(owner, invoice)];
    return ok(item, writes);
  },
});
