import { endpoint } from '#shared/http/endpoint.ts';
import { listed } from '#shared/http/reply.ts';
import { InvoiceItem } from '#shared/wire/invoice-item.ts';

/** §4 Pagination. */
export default endpoint({
  route: 'GET /invoice-items',
  summary: 'List invoice items',
  description: "Lists the account's invoice items, all or those of an invoice.",
  scope: 'invoices:read',
  uses: { items: ['list'] },
  lists: { filters: InvoiceItem.filters },
  returns: { 200: InvoiceItem },
  handle: async ({ page }, { items }) => listed(await items.list(page)),
});
