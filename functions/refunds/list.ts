import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

export default endpoint({
  route: 'GET /refunds',
  summary: 'List refunds',
  description: 'Lists the refunds of the account. `payment_id` selects those of one payment.',
  scope: 'refunds:read',
  uses: { refunds: ['list'] },
  list: { filters: Refund.filters },
  returns: { 200: Refund },
  handle: async ({ page }, { refunds }) => pageReply(await refunds.list(page)),
});
