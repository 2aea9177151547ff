import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /invoices/{invoice_id}',
  summary: 'Get an invoice',
  description: 'Returns an invoice. `expand=customer` includes its customer.',
  scope: 'invoices:read',
  uses: { invoices: ['get'] },
  returns: { 200: Invoice },
  handle: async ({ path, projection }, { invoices }) => ok(await invoices.get(path.invoice_id, projection)),
});
