import { endpoint } from '#shared/invoicing/declarations.ts';
import { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/resource.ts';
import { requireRetryable, retry } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { dueWrites } from '#shared/invoicing/webhook-endpoints/due.ts';
import { accepted } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'POST /webhook-deliveries/{webhook_delivery_id}/retry',
  summary: 'Try a delivery again',
  description: 'Sends the event of a delivery that has ended again, with as many attempts as a new delivery has.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhookDeliveries: ['get', 'replace'], webhookEndpoints: ['find', 'move'] },
  sendsTo: 'deliveries',
  returns: { 202: WebhookDelivery },
  refuses: ['delivery-not-retryable'],

  async handle({ path, caller, now }, stores) {
    const before = await stores.webhookDeliveries.get(path.webhook_delivery_id);
    const { webhook_endpoint_id: id } = before;
    const webhook = requireRetryable(before, (await stores.webhookEndpoints.find([id])).get(id));
    const after = retry(before, now);
    const body = { account_id: caller.account, webhook_endpoint_id: id };
    const writes = [...stores.webhookDeliveries.replace(before, after), ...dueWrites(stores, webhook, now)];
    return accepted(after, writes, { body });
  },
});
