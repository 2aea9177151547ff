import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Invoice } from '#shared/wire/invoice.ts';

/** §4. */
export default endpoint({
  route: 'GET /invoices/{invoice_id}',
  summary: 'Get an invoice',
  description: 'Reads an invoice.',
  scope: 'invoices:read',
  uses: { invoices: ['get'] },
  returns: { 200: Invoice },
  handle: async ({ path, attributes }, { invoices }) => ok(await invoices.get(path.invoice_id, attributes)),
});
