import { Customer } from '#shared/invoicing/customers/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /customers/{customer_id}',
  summary: 'Get a customer',
  description: 'Returns a customer.',
  scope: 'customers:read',
  uses: { customers: ['get'] },
  returns: { 200: Customer },
  handle: async ({ path, projection }, { customers }) => ok(await customers.get(path.customer_id, projection)),
});
