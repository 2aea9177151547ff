import { endpoint } from '#shared/http/endpoint.ts';
import { listed } from '#shared/http/reply.ts';
import { Invoice } from '#shared/wire/invoice.ts';

/** Lists the account's invoices, all or those of a status or a customer (§4 Pagination). */
export default endpoint({
  route: 'GET /invoices',
  scope: 'invoices:read',
  uses: { invoices: ['list'], customers: ['find'] },
  lists: { filters: Invoice.filters },
  returns: { 200: Invoice },
  handle: async ({ page }, { invoices }) => listed(await invoices.list(page)),
});
