import { Rewinding, WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { rewind } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'POST /webhook-endpoints/{webhook_endpoint_id}/rewind',
  summary: 'Deliver events again',
  description:
    'Delivers each event after `sequence` again that the endpoint subscribes to, also those before its creation. A ' +
    '`sequence` that the endpoint has not reached changes nothing.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhooks: ['get', 'move'], events: ['list'] },
  sendsTo: 'deliveries',
  body: Rewinding,
  returns: { 200: WebhookEndpoint },

  async handle({ path, body: { sequence }, caller, checkIfMatch }, { webhooks, events }) {
    const webhook = checkIfMatch(await webhooks.get(path.webhook_endpoint_id));
    const message = { account_id: caller.account, webhook_endpoint_id: webhook.id };
    const last = { style: 'offset', page: sequence, per_page: 1, order: 'ascending', filter: {} } as const;
    const { rows } = sequence === 0 ? { rows: [] } : await events.list(last);
    const position = rewind(webhook, sequence, rows[0]);
    return ok(webhook, webhooks.move(webhook, position, ['position']), { body: message });
  },
});
