import { Customer } from '#shared/invoicing/customers/resource.ts';
import { createCustomer } from '#shared/invoicing/customers/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { created } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'POST /customers',
  summary: 'Create a customer',
  description: 'Creates a customer.',
  scope: 'customers:write',
  idempotency: 'optional',
  uses: { customers: ['insert'] },
  body: Customer.create,
  returns: { 201: Customer },

  handle({ body, now, newId }, { customers }) {
    const customer = createCustomer(body, { id: newId(), at: now });
    return created(customer, customers.insert(customer));
  },
});
