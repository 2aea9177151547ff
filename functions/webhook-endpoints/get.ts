import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'GET /webhook-endpoints/{webhook_endpoint_id}',
  summary: 'Get a webhook endpoint',
  description: 'Returns one webhook endpoint, without its secret.',
  scope: 'webhooks:read',
  uses: { webhookEndpoints: ['get'] },
  returns: { 200: WebhookEndpoint },
  handle: async ({ path, projection }, { webhookEndpoints }) =>
    ok(await webhookEndpoints.get(path.webhook_endpoint_id, projection)),
});
