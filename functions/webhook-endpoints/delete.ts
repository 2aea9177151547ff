import { endpoint } from '#shared/invoicing/declarations.ts';
import { resources } from '#shared/invoicing/index.ts';
import { noContent } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'DELETE /webhook-endpoints/{webhook_endpoint_id}',
  summary: 'Delete a webhook endpoint',
  description: 'Deletes a webhook endpoint, and cancels its pending deliveries.',
  scope: 'webhooks:write',
  uses: { webhookEndpoints: ['get', 'remove'], counters: ['decrement'] },
  sendsTo: 'deliveries',
  ifMatch: resources.webhookEndpoints,
  returns: { 204: null },

  async handle({ path, caller, checkPreconditions }, { webhookEndpoints, counters }) {
    const webhook = checkPreconditions(await webhookEndpoints.get(path.webhook_endpoint_id));
    const writes = [...webhookEndpoints.remove(webhook), ...counters.decrement('webhook_endpoints')];
    return noContent(writes, { body: { account_id: caller.account, webhook_endpoint_id: webhook.id } });
  },
});
