import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /invoices',
  summary: 'List invoices',
  description: 'Lists the invoices of the account. `status` and `customer_id` select some of them.',
  scope: 'invoices:read',
  uses: { invoices: ['list'] },
  list: { filters: Invoice.filters },
  returns: { 200: Invoice },
  handle: async ({ page }, { invoices }) => pageReply(await invoices.list(page)),
});
