import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { issue } from '#shared/invoicing/invoices/rules.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { created } from '#shared/platform/http/reply.ts';

/** §4. */
export default endpoint({
  route: 'POST /invoices',
  summary: 'Create an invoice',
  description: 'Creates an invoice, as a draft or open.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: { invoices: ['insert'], customers: ['count'] },
  body: Invoice.create,
  returns: { 201: Invoice },

  handle({ body, now, newId }, { invoices, customers }) {
    const invoice = issue(body, { id: newId(), at: now });
    const named = customers.count('invoice_count', { from: null, to: invoice.customer_id, field: 'customer_id' });
    return created(invoice, [...invoices.insert(invoice), ...named]);
  },
});
