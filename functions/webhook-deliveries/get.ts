import { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'GET /webhook-deliveries/{webhook_delivery_id}',
  summary: 'Get a webhook delivery',
  description: 'Returns one delivery with its status, its attempts and the last response.',
  scope: 'webhooks:read',
  uses: { webhookDeliveries: ['get'] },
  returns: { 200: WebhookDelivery },
  handle: async ({ path, projection }, { webhookDeliveries }) =>
    ok(await webhookDeliveries.get(path.webhook_delivery_id, projection)),
});
