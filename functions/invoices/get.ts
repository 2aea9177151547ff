import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** §4. */
export default endpoint({
  route: 'GET /invoices/{invoice_id}',
  summary: 'Get an invoice',
  description: 'Reads an invoice.',
  scope: 'invoices:read',
  uses: { invoices: ['get'] },
  returns: { 200: Invoice },
  handle: async ({ path, projection }, { invoices }) => ok(await invoices.get(path.invoice_id, projection)),
});
