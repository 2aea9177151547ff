import { endpoint } from '#shared/invoicing/declarations.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { cancelInvoice } from '#shared/invoicing/invoices/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** §1 Naming 4; CONTRACT §4 Invoice rules. */
export default endpoint({
  route: 'POST /invoices/{invoice_id}/cancel',
  summary: 'Cancel an invoice',
  description:
    'Cancels a draft, or an open invoice without payments and credit notes. If the invoice is already canceled, nothing ' +
    'changes.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: { invoices: ['get', 'replace'] },
  ifMatch: Invoice,
  returns: { 200: Invoice },
  refuses: ['invoice-not-cancelable'],

  async handle({ path, checkPreconditions, now }, { invoices }) {
    const before = checkPreconditions(await invoices.get(path.invoice_id));
    const after = cancelInvoice(before, now);
    return ok(after, invoices.replace(before, after));
  },
});
