import { endpoint } from '#shared/http/endpoint.ts';
import { listed } from '#shared/http/reply.ts';
import { Payment } from '#shared/wire/payment.ts';

/** §4 Pagination. */
export default endpoint({
  route: 'GET /payments',
  summary: 'List payments',
  description: "Lists the account's payments, all or those of an invoice.",
  scope: 'payments:read',
  uses: { payments: ['list'] },
  lists: { filters: Payment.filters },
  returns: { 200: Payment },
  handle: async ({ page }, { payments }) => listed(await payments.list(page)),
});
