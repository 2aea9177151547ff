import { endpoint } from '#shared/invoicing/declarations.ts';
import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { rotateSecret } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { ok } from '#shared/platform/http/reply.ts';
import { createSecret } from '#shared/platform/webhooks/signature.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'POST /webhook-endpoints/{webhook_endpoint_id}/rotate-secret',
  summary: 'Rotate the secret of a webhook endpoint',
  description: 'Creates a new secret. For 24 hours, each delivery is signed with the new one and with the one before.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhookEndpoints: ['get', 'replace'] },
  ifMatch: WebhookEndpoint,
  returns: { 200: WebhookEndpoint },

  async handle({ path, checkPreconditions, now }, { webhookEndpoints }) {
    const before = checkPreconditions(await webhookEndpoints.get(path.webhook_endpoint_id));
    const new_secret = createSecret();
    const after = rotateSecret(before, new_secret, now);
    return ok({ ...after, new_secret }, webhookEndpoints.replace(before, after));
  },
});
