import { endpoint } from '#shared/invoicing/declarations.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { amountSettled, changeInvoice, replacedInvoice } from '#shared/invoicing/invoices/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PUT /invoices/{invoice_id}',
  summary: 'Replace an invoice',
  description:
    'Replaces all writable fields of an invoice. A field that you leave out gets its default, with three exceptions that ' +
    'keep their values: `status`, the total of an invoice with items, and the currency of an invoice with items or ' +
    'payments. `status` can change as with PATCH.',
  scope: 'invoices:write',
  uses: { invoices: ['get', 'replace'], customers: ['moveCount'] },
  body: Invoice.replace,
  ifMatch: Invoice,
  returns: { 200: Invoice },
  permits: ['invoice.settle'],
  refuses: ['invalid-transition', 'invoice-closed', 'total-below-paid', 'currency-locked'],

  async handle({ path, body, checkIfMatch, permit, now }, { invoices, customers }) {
    const before = await invoices.get(path.invoice_id);
    const requestedInvoice = replacedInvoice(before, body);
    permit({ action: 'invoice.settle', resource: { amount_cents: amountSettled(before, requestedInvoice) } });
    checkIfMatch(before);
    const after = changeInvoice(before, requestedInvoice, now);
    const countWrites = customers.moveCount('invoice_count', {
      from: before.customer_id,
      to: after.customer_id,
      field: 'customer_id',
    });
    return ok(after, [...invoices.replace(before, after), ...countWrites]);
  },
});
