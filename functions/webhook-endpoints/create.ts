import { endpoint } from '#shared/invoicing/declarations.ts';
import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import {
  createWebhookEndpoint,
  MAX_WEBHOOK_ENDPOINTS,
  TOO_MANY_WEBHOOK_ENDPOINTS,
} from '#shared/invoicing/webhook-endpoints/rules.ts';
import { checkUrl } from '#shared/invoicing/webhook-endpoints/url.ts';
import { created } from '#shared/platform/http/reply.ts';
import { createSecret } from '#shared/platform/webhooks/signature.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'POST /webhook-endpoints',
  summary: 'Create a webhook endpoint',
  description:
    'Registers an address that receives the events from now on. Only this response and that of a rotation contain the ' +
    'secret, with which the receiver verifies the signatures.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhookEndpoints: ['insert'], counters: ['increment'], outbox: ['readHead'] },
  body: WebhookEndpoint.create,
  checkBody: checkUrl,
  returns: { 201: WebhookEndpoint },
  refuses: ['too-many-webhook-endpoints'],

  async handle({ body, now, newId }, { webhookEndpoints, counters, outbox }) {
    const new_secret = createSecret();
    const webhook = createWebhookEndpoint(body, new_secret, await outbox.readHead(), { id: newId(), at: now });
    const countWrites = counters.increment('webhook_endpoints', MAX_WEBHOOK_ENDPOINTS, TOO_MANY_WEBHOOK_ENDPOINTS);
    return created({ ...webhook, new_secret }, [...webhookEndpoints.insert(webhook), ...countWrites]);
  },
});
