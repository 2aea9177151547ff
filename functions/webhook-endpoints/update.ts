import { endpoint } from '#shared/invoicing/declarations.ts';
import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { patchWebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { checkUrl } from '#shared/invoicing/webhook-endpoints/url.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'PATCH /webhook-endpoints/{webhook_endpoint_id}',
  summary: 'Update a webhook endpoint',
  description:
    'Changes only the fields that the body contains (JSON merge patch, RFC 7396). When `status` becomes `enabled`, the ' +
    'deliveries that wait are sent. A new `url` has no failures yet.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhookEndpoints: ['get', 'replace'] },
  sendsTo: 'deliveries',
  body: WebhookEndpoint.patch,
  checkBody: checkUrl,
  ifMatch: WebhookEndpoint,
  returns: { 200: WebhookEndpoint },

  async handle({ path, body, caller, checkPreconditions, now }, { webhookEndpoints }) {
    const before = checkPreconditions(await webhookEndpoints.get(path.webhook_endpoint_id));
    const after = patchWebhookEndpoint(before, body, now);
    const isWoken = after.status === 'enabled' && after.due_at !== before.due_at;
    const message = { account_id: caller.account, webhook_endpoint_id: after.id };
    // A pump changes the failures without a new version.
    return ok(after, webhookEndpoints.replace(before, after, ['failures']), isWoken ? { body: message } : undefined);
  },
});
