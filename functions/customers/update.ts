import { amend } from '#shared/domain/customer.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Customer } from '#shared/wire/customer.ts';

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
