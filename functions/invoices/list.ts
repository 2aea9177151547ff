import { endpoint } from '#shared/http/endpoint.ts';
import { listed } from '#shared/http/reply.ts';
import { Invoice } from '#shared/wire/invoice.ts';

/** §4 Pagination. */
export default endpoint({
  route: 'GET /invoices',
  summary: 'List invoices',
  description: "Lists the account's invoices, all or those of a status or a customer.",
  scope: 'invoices:read',
  uses: { invoices: ['list'] },
  lists: { filters: Invoice.filters },
  returns: { 200: Invoice },
  handle: async ({ page }, { invoices }) => listed(await invoices.list(page)),
});
