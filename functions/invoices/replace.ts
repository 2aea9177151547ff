import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { replaceInvoice } from '#shared/invoicing/invoices/rules.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PUT /invoices/{invoice_id}',
  summary: 'Replace an invoice',
  description:
    'Replaces all writable fields of an invoice. A field that you leave out gets its default, except `status` and' +
    ' the total of an invoice with items: they keep their values.',
  scope: 'invoices:write',
  uses: { invoices: ['get', 'replace'], customers: ['moveCount'] },
  body: Invoice.replace,
  returns: { 200: Invoice },
  refuses: ['invalid-transition', 'invoice-closed', 'total-below-paid', 'currency-locked'],

  async handle({ path, body, checkIfMatch, now }, { invoices, customers }) {
    const before = checkIfMatch(await invoices.get(path.invoice_id));
    const after = replaceInvoice(before, body, now);
    const named = customers.moveCount('invoice_count', {
      from: before.customer_id,
      to: after.customer_id,
      field: 'customer_id',
    });
    return ok(after, [...invoices.replace(before, after), ...named]);
  },
});
