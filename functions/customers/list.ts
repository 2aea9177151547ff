import { Customer } from '#shared/invoicing/customers/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /customers',
  summary: 'List customers',
  description: 'Lists the customers of the account. `email` selects those with this address.',
  scope: 'customers:read',
  uses: { customers: ['list'] },
  list: { filters: Customer.filters },
  returns: { 200: Customer },
  handle: async ({ page }, { customers }) => pageReply(await customers.list(page)),
});
