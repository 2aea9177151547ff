import { INVOICE_COUNT } from '#shared/invoicing/customers/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { createInvoiceWithItems } from '#shared/invoicing/invoices/items.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { created } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'POST /invoices',
  summary: 'Create an invoice',
  description:
    'Creates an invoice as `draft` or `open`, with up to 90 `items` in the same transaction. Its total is then their sum. ' +
    'The response has no `items`: `GET …?expand=items` includes them.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: { invoices: ['insert'], customers: ['moveCount'], invoiceItems: ['insert'] },
  body: Invoice.create,
  returns: { 201: Invoice },

  handle({ body, now, newId }, { invoices, customers, invoiceItems }) {
    const creation = { id: newId(body.items.length), at: now };
    const { invoice, items } = createInvoiceWithItems(body, creation);
    const countWrites = customers.moveCount(INVOICE_COUNT, {
      from: null,
      to: invoice.customer_id,
      field: 'customer_id',
    });
    const itemWrites = items.flatMap((item) => invoiceItems.insert(item));
    return created(invoice, [...invoices.insert(invoice), ...countWrites, ...itemWrites]);
  },
});
