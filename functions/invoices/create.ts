import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { createInvoice } from '#shared/invoicing/invoices/rules.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { created } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'POST /invoices',
  summary: 'Create an invoice',
  description: 'Creates an invoice as `draft` or `open`.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: { invoices: ['insert'], customers: ['moveCount'] },
  body: Invoice.create,
  returns: { 201: Invoice },

  handle({ body, now, newId }, { invoices, customers }) {
    const invoice = createInvoice(body, { id: newId(), at: now });
    const countWrites = customers.moveCount('invoice_count', {
      from: null,
      to: invoice.customer_id,
      field: 'customer_id',
    });
    return created(invoice, [...invoices.insert(invoice), ...countWrites]);
  },
});
