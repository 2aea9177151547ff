import manifest from '#package.json' with { type: 'json' };
import { Event } from '#shared/invoicing/events/resource.ts';
import { validSecrets, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import type { WebhookHeader } from '#shared/platform/webhooks/headers.ts';
import { type Answer, post } from '#shared/platform/webhooks/post.ts';
import { sign } from '#shared/platform/webhooks/signature.ts';
import { createSerializer } from '#shared/platform/wire/field.ts';

/** Firewalls in front of receivers often refuse a request without it. */
const USER_AGENT = `${manifest.name}/${manifest.version}`;

const serializeEvent = createSerializer(Event.fields.v1);

/** The v1 form of an event. */
export const bodyOf = (event: EventRow): string => JSON.stringify(serializeEvent({ ...event }));

interface Sent {
  /** The `webhook-id`, the same at each attempt. */
  readonly id: string;
  readonly body: string;
  readonly at: string;
  /** What the log says of the attempt. */
  readonly log: {
    readonly event_type: string;
    readonly event_id?: number | undefined;
    /** Absent at a first attempt, whose delivery has no row yet. */
    readonly webhook_delivery_id?: number;
    readonly attempt: number;
  };
}

/**
 * Makes one attempt (CONTRACT §15), and logs it. The record has only the origin of the URL, because many receivers have a
 * secret in the path.
 */
export const send = async (
  endpoint: WebhookEndpoint,
  { id, body, at, log }: Sent,
  { body: { account_id }, settings, report }: Pick<QueueMessage, 'body' | 'settings' | 'report'>,
): Promise<Answer> => {
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
    account: account_id,
    webhook_endpoint_id: endpoint.id,
    ...log,
    origin: new URL(endpoint.url).origin,
    status: answer.status ?? undefined,
    code: answer.error?.code,
    milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
  });
  return answer;
};
