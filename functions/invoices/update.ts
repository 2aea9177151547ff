import { endpoint } from '#shared/invoicing/declarations.ts';
import { decideChange, INVOICE_CHANGE_REFUSALS, INVOICE_CHANGE_USES } from '#shared/invoicing/invoices/change.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { applyMergePatch } from '#shared/platform/entity.ts';
import { ok } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'PATCH /invoices/{invoice_id}',
  summary: 'Update an invoice',
  description:
    'Changes only the fields that the body contains (JSON merge patch, RFC 7396). `status` can change from ' +
    '`draft` to `open`, and from `open` to `paid` for an invoice that was paid outside the service. ' +
    'An `open` invoice that names a series gets its number.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: INVOICE_CHANGE_USES,
  body: Invoice.patch,
  ifMatch: Invoice,
  returns: { 200: Invoice },
  permits: ['invoice.settle'],
  refuses: INVOICE_CHANGE_REFUSALS,

  async handle(input, stores) {
    const before = await stores.invoices.get(input.path.invoice_id);
    const { invoice, writes } = await decideChange(before, applyMergePatch(before, input.body), input, stores);
    return ok(invoice, writes);
  },
});
