import { endpoint } from '#shared/invoicing/declarations.ts';
import { decideChange, INVOICE_CHANGE_REFUSALS, INVOICE_CHANGE_USES } from '#shared/invoicing/invoices/change.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { replacedInvoice } from '#shared/invoicing/invoices/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PUT /invoices/{invoice_id}',
  summary: 'Replace an invoice',
  description:
    'Replaces all writable fields of an invoice. A field that you leave out gets its default, but these keep their ' +
    'values: `status`, `external_id`, `series_id`, `issue_date`, the total of an invoice with items, and the currency of an ' +
    'invoice with items, payments or credit notes. `status` can change as with PATCH.',
  scope: 'invoices:write',
  uses: INVOICE_CHANGE_USES,
  body: Invoice.replace,
  ifMatch: Invoice,
  returns: { 200: Invoice },
  permits: ['invoice.settle'],
  refuses: INVOICE_CHANGE_REFUSALS,

  async handle(input, stores) {
    const before = await stores.invoices.get(input.path.invoice_id);
    const { invoice, writes } = await decideChange(before, replacedInvoice(before, input.body), input, stores);
    return ok(invoice, writes);
  },
});
