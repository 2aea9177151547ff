import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { pageReply } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'GET /webhook-endpoints',
  summary: 'List webhook endpoints',
  description: 'Lists the webhook endpoints of the account, without their secrets.',
  scope: 'webhooks:read',
  uses: { webhookEndpoints: ['list'] },
  list: { filters: WebhookEndpoint.filters },
  returns: { 200: WebhookEndpoint },
  handle: async ({ page }, { webhookEndpoints }) => pageReply(await webhookEndpoints.list(page)),
});
