import { endpoint } from '#shared/invoicing/declarations.ts';
import { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/resource.ts';
import { requireRetryable, retry } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { accepted } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'POST /webhook-deliveries/{webhook_delivery_id}/retry',
  summary: 'Try a delivery again',
  description: 'Sends the event of a delivery that has ended again, with as many attempts as a new delivery has.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhookDeliveries: ['get', 'replace'], webhookEndpoints: ['find', 'check'] },
  sendsTo: 'deliveries',
  returns: { 202: WebhookDelivery },
  refuses: ['delivery-not-retryable'],

  async handle({ path, caller, now }, { webhookDeliveries, webhookEndpoints }) {
    const before = await webhookDeliveries.get(path.webhook_delivery_id);
    const { webhook_endpoint_id } = before;
    const deliveryEndpoint = (await webhookEndpoints.find([webhook_endpoint_id], ['status'])).get(webhook_endpoint_id);
    const webhook = requireRetryable(before, deliveryEndpoint);
    const after = retry(before, now);
    const body = { account_id: caller.account, webhook_delivery_id: after.id };
    return accepted(after, [...webhookDeliveries.replace(before, after), ...webhookEndpoints.check(webhook)], { body });
  },
});
