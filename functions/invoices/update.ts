import { endpoint } from '#shared/invoicing/declarations.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { amountSettled, changeInvoice, patchedInvoice } from '#shared/invoicing/invoices/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PATCH /invoices/{invoice_id}',
  summary: 'Update an invoice',
  description:
    'Changes only the fields that the body contains (JSON merge patch, RFC 7396). `status` can change from ' +
    '`draft` to `open`, and from `open` to `paid` for an invoice that was paid outside the service.',
  scope: 'invoices:write',
  uses: { invoices: ['get', 'replace'], customers: ['moveCount'] },
  body: Invoice.patch,
  ifMatch: Invoice,
  returns: { 200: Invoice },
  permits: ['invoice.settle'],
  refuses: ['invalid-transition', 'invoice-closed', 'total-below-paid', 'currency-locked'],

  async handle({ path, body, checkIfMatch, permit, now }, { invoices, customers }) {
    const before = await invoices.get(path.invoice_id);
    const requestedInvoice = patchedInvoice(before, body);
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
