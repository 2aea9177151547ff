import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /invoice-items/{invoice_item_id}',
  summary: 'Get an invoice item',
  description: 'Returns an invoice item.',
  scope: 'invoices:read',
  uses: { invoiceItems: ['get'] },
  returns: { 200: InvoiceItem },
  handle: async ({ path, projection }, { invoiceItems }) =>
    ok(await invoiceItems.get(path.invoice_item_id, projection)),
});
