import { Payment } from '#shared/invoicing/payments/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /payments',
  summary: 'List payments',
  description: 'Lists the payments of the account. `invoice_id` selects those of one invoice.',
  scope: 'payments:read',
  uses: { payments: ['list'] },
  list: { filters: Payment.filters },
  returns: { 200: Payment },
  handle: async ({ page }, { payments }) => pageReply(await payments.list(page)),
});
