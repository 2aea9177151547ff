import { register } from '#shared/domain/customer.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { created } from '#shared/http/reply.ts';
import { Customer } from '#shared/wire/customer.ts';

/** §4. */
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
    const customer = register(body, { id: newId(), at: now });
    return created(customer, customers.insert(customer));
  },
});
