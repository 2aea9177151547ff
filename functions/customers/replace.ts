import { Customer } from '#shared/invoicing/customers/resource.ts';
import { replaceCustomer } from '#shared/invoicing/customers/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PUT /customers/{customer_id}',
  summary: 'Replace a customer',
  description:
    'Replaces all writable fields of a customer. A field that you leave out gets its default, but `external_id` keeps its value.',
  scope: 'customers:write',
  uses: { customers: ['get', 'replace'] },
  body: Customer.replace,
  ifMatch: Customer,
  returns: { 200: Customer },

  async handle({ path, body, checkPreconditions, now }, { customers }) {
    const before = checkPreconditions(await customers.get(path.customer_id));
    const after = replaceCustomer(before, body, now);
    return ok(after, customers.replace(before, after));
  },
});
