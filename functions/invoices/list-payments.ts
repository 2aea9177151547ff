import { endpoint } from '#shared/invoicing/declarations.ts';
import { Payment } from '#shared/invoicing/payments/resource.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

/** §1 Naming 3. */
export default endpoint({
  route: 'GET /invoices/{invoice_id}/payments',
  summary: 'List payments of an invoice',
  description: 'Lists the payments of one invoice.',
  scope: 'payments:read',
  uses: { invoices: ['get'], payments: ['list'] },
  selectsBy: { payments: { filters: ['invoice_id'] } },
  list: { filters: [], indexes: [] },
  returns: { 200: Payment },

  async handle({ path, page }, { invoices, payments }) {
    const { id } = await invoices.get(path.invoice_id, []);
    return pageReply(await payments.list({ ...page, filter: { invoice_id: id } }));
  },
});
