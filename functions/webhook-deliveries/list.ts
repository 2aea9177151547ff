import { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'GET /webhook-deliveries',
  summary: 'List webhook deliveries',
  description:
    'Lists the deliveries of the last 30 days. `webhook_endpoint_id` and `status` select some of them, alone or together.',
  scope: 'webhooks:read',
  uses: { webhookDeliveries: ['list'] },
  list: { filters: WebhookDelivery.filters },
  returns: { 200: WebhookDelivery },
  handle: async ({ page }, { webhookDeliveries }) => pageReply(await webhookDeliveries.list(page)),
});
