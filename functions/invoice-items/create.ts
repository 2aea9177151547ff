import { endpoint } from '#shared/invoicing/declarations.ts';
import { ITEM_CHANGE_REFUSALS } from '#shared/invoicing/invoice-items/change.ts';
import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { addItem } from '#shared/invoicing/invoices/items.ts';
import { created } from '#shared/platform/http/reply.ts';

/** CONTRACT §4 Invoice rules. */
export default endpoint({
  route: 'POST /invoice-items',
  summary: 'Create an invoice item',
  description:
    'Adds an item to an invoice, whose total is then the sum of its items. The invoice must be a draft, or open ' +
    'without payments, credit notes and number. If it has no items yet, its total must be 0.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: { invoiceItems: ['insert'], invoices: ['getReferenced', 'replace'] },
  body: InvoiceItem.create,
  returns: { 201: InvoiceItem },
  refuses: ITEM_CHANGE_REFUSALS,

  async handle({ body, now, newId }, { invoiceItems, invoices }) {
    const before = await invoices.getReferenced('invoice_id', body.invoice_id);
    const { item, invoice } = addItem(before, body, { id: newId(), at: now });
    return created(item, [...invoiceItems.insert(item), ...invoices.replace(before, invoice)]);
  },
});
