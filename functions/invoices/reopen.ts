import { endpoint } from '#shared/invoicing/declarations.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { reopenInvoice } from '#shared/invoicing/invoices/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** §1 Naming 4; CONTRACT §4 Payment and refund rules. */
export default endpoint({
  route: 'POST /invoices/{invoice_id}/reopen',
  summary: 'Reopen an invoice',
  description:
    'Opens an invoice again that a PATCH or PUT settled outside the service, unless its credit notes leave nothing due. ' +
    'If the invoice is already open, nothing changes.',
  scope: 'invoices:write',
  idempotency: 'optional',
  uses: { invoices: ['get', 'replace'] },
  ifMatch: Invoice,
  returns: { 200: Invoice },
  permits: ['invoice.reopen'],
  refuses: ['invoice-not-reopenable'],

  async handle({ path, permit, checkPreconditions, now }, { invoices }) {
    const before = await invoices.get(path.invoice_id);
    permit({ action: 'invoice.reopen', resource: {} });
    checkPreconditions(before);
    const after = reopenInvoice(before, now);
    return ok(after, invoices.replace(before, after));
  },
});
