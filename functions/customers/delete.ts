import { checkDeletable } from '#shared/invoicing/customers/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { noContent } from '#shared/platform/http/reply.ts';

/** CONTRACT §4 Invoice rules. */
export default endpoint({
  route: 'DELETE /customers/{customer_id}',
  summary: 'Delete a customer',
  description: 'Deletes a customer. A customer with invoices cannot be deleted.',
  scope: 'customers:write',
  uses: { customers: ['getForRemoval', 'remove'] },
  ifMatch: resources.customers,
  returns: { 204: null },
  refuses: ['customer-in-use'],

  async handle({ path, checkPreconditions }, { customers }) {
    const customer = checkPreconditions(await customers.getForRemoval(path.customer_id));
    checkDeletable(customer);
    return noContent(customers.remove(customer, ['invoice_count']));
  },
});
