import { endpoint } from '#shared/invoicing/declarations.ts';
import { checkRewindPause, rewind } from '#shared/invoicing/webhook-endpoints/position.ts';
import { Rewinding, WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import { findBySequence } from '#shared/platform/events/find-by-sequence.ts';
import { ok } from '#shared/platform/http/reply.ts';

/** CONTRACT §15. */
export default endpoint({
  route: 'POST /webhook-endpoints/{webhook_endpoint_id}/rewind',
  summary: 'Deliver events again',
  description:
    'Delivers each event after `sequence` again that the endpoint subscribes to, also those before its creation. A ' +
    '`sequence` that the endpoint has not reached changes nothing. An endpoint can be rewound once a minute.',
  scope: 'webhooks:write',
  idempotency: 'optional',
  uses: { webhookEndpoints: ['get', 'move'], events: ['list'], outbox: ['readHead'] },
  sendsTo: 'deliveries',
  body: Rewinding,
  ifMatch: WebhookEndpoint,
  returns: { 200: WebhookEndpoint },
  refuses: ['too-many-rewinds'],

  async handle({ path, body: { sequence }, caller, checkPreconditions, now }, { webhookEndpoints, events, outbox }) {
    const webhook = checkPreconditions(await webhookEndpoints.get(path.webhook_endpoint_id));
    checkRewindPause(webhook, now);
    const { sequence: head } = webhook.is_started ? { sequence: webhook.position } : await outbox.readHead();
    const isPast = sequence > 0 && sequence < webhook.position;
    const event = isPast ? await findBySequence(events, sequence, webhook.position_id) : undefined;
    const position = rewind(webhook, { sequence, head }, event);
    const after = {
      ...position,
      rewound_at: Date.parse(now),
      ...(webhook.status === 'enabled' && { due_at: Date.parse(now) }),
    };
    const message = { account_id: caller.account, webhook_endpoint_id: webhook.id };
    return ok(webhook, webhookEndpoints.move(webhook, after, ['version', 'rewound_at']), { body: message });
  },
});
