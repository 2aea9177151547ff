import { Customer } from '#shared/invoicing/customers/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listed } from '#shared/platform/http/reply.ts';

/** §4 Pagination. */
export default endpoint({
  route: 'GET /customers',
  summary: 'List customers',
  description: "Lists the account's customers, all or those with an email address.",
  scope: 'customers:read',
  uses: { customers: ['list'] },
  lists: { filters: Customer.filters },
  returns: { 200: Customer },
  handle: async ({ page }, { customers }) => listed(await customers.list(page)),
});
