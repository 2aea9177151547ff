import { restate } from '#shared/domain/customer.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { ok } from '#shared/http/reply.ts';
import { Customer } from '#shared/wire/customer.ts';

/** §4 PUT. */
export default endpoint({
  route: 'PUT /customers/{customer_id}',
  summary: 'Replace a customer',
  description: 'Replaces every writable field of a customer.',
  scope: 'customers:write',
  uses: { customers: ['get', 'replace'] },
  body: Customer.replace,
  returns: { 200: Customer },

  async handle({ path, body, match, now }, { customers }) {
    const before = match(await customers.get(path.customer_id));
    const after = restate(before, body, now);
    return ok(after, customers.replace(before, after));
  },
});
