import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Invoice } from '#shared/wire/invoice.ts';

/** Reads an invoice (§4). */
export default endpoint({
  route: 'GET /invoices/{invoice_id}',
  scope: 'invoices:read',
  uses: { invoices: ['get'], customers: ['find'] },
  returns: { 200: Invoice },
  handle: async ({ path, attributes }, { invoices }) => ok(await invoices.get(path.invoice_id, attributes)),
});
