import { INVOICE_COUNT } from '#shared/invoicing/customers/rules.ts';
import { endpoint } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { checkDeletable } from '#shared/invoicing/invoices/rules.ts';
import { noContent } from '#shared/platform/http/reply.ts';

/** A version that no row has, so a condition on it fails. */
const NO_VERSION = Number.MAX_SAFE_INTEGER;

/** CONTRACT §4 Invoice rules. */
export default endpoint({
  route: 'DELETE /invoices/{invoice_id}',
  summary: 'Delete an invoice',
  description:
    'Deletes an invoice and its items. An invoice that has a number, payments or credit notes, or is `paid`, cannot be ' +
    'deleted.',
  scope: 'invoices:write',
  uses: { invoices: ['getForRemoval', 'remove'], customers: ['moveCount'], invoiceItems: ['find', 'remove'] },
  ifMatch: resources.invoices,
  returns: { 204: null },
  refuses: [
    { code: 'invoice-issued', status: 409 },
    'invoice-has-payments',
    'invoice-has-credit-notes',
    { code: 'invoice-closed', status: 409 },
  ],

  async handle({ path, checkPreconditions }, { invoices, customers, invoiceItems }) {
    const invoice = checkPreconditions(await invoices.getForRemoval(path.invoice_id));
    checkDeletable(invoice);
    const itemsById = await invoiceItems.find(invoice.item_ids, []);
    return noContent([
      ...invoices.remove(invoice),
      ...customers.moveCount(INVOICE_COUNT, { from: invoice.customer_id, to: null, field: 'customer_id' }),
      // An item that cannot be read fails the commit, and the handler runs again: it is new, or no longer in the invoice.
      ...invoice.item_ids.flatMap((id) => invoiceItems.remove(itemsById.get(id) ?? { id, version: NO_VERSION })),
    ]);
  },
});
