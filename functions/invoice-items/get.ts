import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { InvoiceItem } from '#shared/wire/invoice-item.ts';

/** §1 Naming 2. */
export default endpoint({
  route: 'GET /invoice-items/{invoice_item_id}',
  summary: 'Get an invoice item',
  description: 'Reads an invoice item.',
  scope: 'invoices:read',
  uses: { items: ['get'] },
  returns: { 200: InvoiceItem },
  handle: async ({ path, attributes }, { items }) => ok(await items.get(path.invoice_item_id, attributes)),
});
