import { endpoint } from '#shared/invoicing/declarations.ts';
import { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/resource.ts';
import { testDelivery } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { dueWrites } from '#shared/invoicing/webhook-endpoints/due.ts';
import { accepted } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'POST /webhook-endpoints/{webhook_endpoint_id}/test',
  summary: 'Send a test to a webhook endpoint',
  description: 'Sends an event of type `webhook.test`, which is not in the feed: its `id` and `sequence` are null.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhookEndpoints: ['get', 'check', 'move'], webhookDeliveries: ['insert'] },
  sendsTo: 'deliveries',
  returns: { 202: WebhookDelivery },

  async handle({ path, caller, requestId, now, newId }, stores) {
    const webhook = await stores.webhookEndpoints.get(path.webhook_endpoint_id);
    const origin = { actor: caller.sub, request_id: requestId };
    const delivery = testDelivery(webhook, origin, { id: newId(), at: now });
    const body = { account_id: caller.account, webhook_endpoint_id: webhook.id };
    const isEnabled = webhook.status === 'enabled';
    const writes = isEnabled ? dueWrites(stores, webhook, now) : stores.webhookEndpoints.check(webhook);
    return accepted(delivery, [...writes, ...stores.webhookDeliveries.insert(delivery)], { body });
  },
});
