import manifest from '#package.json' with { type: 'json' };
import { Event } from '#shared/invoicing/events/resource.ts';
import { validSecrets, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import type { WebhookHeader } from '#shared/platform/webhooks/headers.ts';
import { post } from '#shared/platform/webhooks/post.ts';
import type { Answer } from '#shared/platform/webhooks/schedule.ts';
import { sign } from '#shared/platform/webhooks/signature.ts';
import { createSerializer } from '#shared/platform/wire/field.ts';
import type { Attempt } from './plan.ts';

/** Firewalls in front of receivers often refuse a request without it. */
const USER_AGENT = `${manifest.name}/${manifest.version}`;

const serializeEvent = createSerializer(Event.fields.v1);

/** What the attempt sends and logs; undefined if the event of the delivery does not exist. */
const contentOf = ({ delivery, event: own }: Attempt, events: ReadonlyMap<number, EventRow>) => {
  if (delivery?.event_id === null)
    return { id: `evt_test_${delivery.id}`, body: delivery.test_body ?? '', event_type: delivery.event_type };
  const event = own ?? events.get(delivery.event_id);
  if (!event) return undefined;
  const body = JSON.stringify(serializeEvent({ ...event }));
  return { id: `evt_${event.id}`, body, event_type: event.type, event_id: event.id };
};

/**
 * Makes one attempt (CONTRACT §15), and logs it. The record has only the origin of the URL, because many receivers have a
 * secret in the path.
 * @param events of later attempts
 */
export const send = async (
  endpoint: WebhookEndpoint,
  attempt: Attempt,
  events: ReadonlyMap<number, EventRow>,
  at: string,
  { body: { account_id: account }, settings, report }: Pick<QueueMessage, 'body' | 'settings' | 'report'>,
): Promise<Answer | undefined> => {
  const { delivery } = attempt;
  const log = { account, webhook_endpoint_id: endpoint.id, webhook_delivery_id: delivery?.id };
  const content = contentOf(attempt, events);
  if (!content) {
    report('the event of a delivery does not exist', log);
    return undefined;
  }
  const { id, body, ...event } = content;
  const timestamp = Math.floor(Date.parse(at) / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign({ id, timestamp, body }, validSecrets(endpoint, at)),
  } satisfies Record<WebhookHeader | 'content-type' | 'user-agent', string>;
  const startedAt = performance.now();
  const answer = await post({ url: endpoint.url, headers, body }, settings.webhookAddresses);
  report('webhook attempt', {
    ...log,
    ...event,
    attempt: (delivery?.step ?? 0) + 1,
    origin: new URL(endpoint.url).origin,
    status: answer.status ?? undefined,
    code: answer.error?.code,
    milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
  });
  return answer;
};
