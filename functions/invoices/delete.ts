import { checkDeletable } from '#shared/domain/invoice.ts';
import { endpoint } from '#shared/http/endpoint.ts';
import { noContent } from '#shared/http/reply.ts';

/** Deletes an invoice without payments (§4 DELETE; CONTRACT §4 Invoice rules). */
export default endpoint({
  route: 'DELETE /invoices/{invoice_id}',
  scope: 'invoices:write',
  uses: { invoices: ['get', 'remove'], customers: ['count'] },
  returns: { 204: null },
  refuses: ['invoice-has-payments', 'invoice-closed'],

  async handle({ path, match }, { invoices, customers }) {
    const invoice = match(await invoices.get(path.invoice_id));
    checkDeletable(invoice);
    const named = customers.count('invoice_count', { from: invoice.customer_id, to: null });
    return noContent([...invoices.remove(invoice), ...named]);
  },
});
