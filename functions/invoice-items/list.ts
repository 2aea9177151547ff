import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /invoice-items',
  summary: 'List invoice items',
  description: 'Lists the invoice items of the account. `invoice_id` selects those of one invoice.',
  scope: 'invoices:read',
  uses: { invoiceItems: ['list'] },
  list: { filters: InvoiceItem.filters },
  returns: { 200: InvoiceItem },
  handle: async ({ page }, { invoiceItems }) => pageReply(await invoiceItems.list(page)),
});
