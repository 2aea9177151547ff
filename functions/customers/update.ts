import { Customer } from '#shared/invoicing/customers/resource.ts';
import { amend } from '#shared/invoicing/customers/rules.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** §4 PATCH, RFC 7396. */
export default endpoint({
  route: 'PATCH /customers/{customer_id}',
  summary: 'Update a customer',
  description: 'Changes some fields of a customer.',
  scope: 'customers:write',
  uses: { customers: ['get', 'replace'] },
  body: Customer.patch,
  returns: { 200: Customer },

  async handle({ path, body, match, now }, { customers }) {
    const before = match(await customers.get(path.customer_id));
    const after = amend(before, body, now);
    return ok(after, customers.replace(before, after));
  },
});
