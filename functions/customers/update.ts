import { Customer } from '#shared/invoicing/customers/resource.ts';
import { patchCustomer } from '#shared/invoicing/customers/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PATCH /customers/{customer_id}',
  summary: 'Update a customer',
  description: 'Changes only the fields that the body contains (JSON merge patch, RFC 7396).',
  scope: 'customers:write',
  idempotency: 'optional',
  uses: { customers: ['get', 'replace'] },
  body: Customer.patch,
  ifMatch: Customer,
  returns: { 200: Customer },

  async handle({ path, body, checkPreconditions, now }, { customers }) {
    const before = checkPreconditions(await customers.get(path.customer_id));
    const after = patchCustomer(before, body, now);
    return ok(after, customers.replace(before, after));
  },
});
