import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { fenceOf, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { backoff } from '#shared/platform/backoff.ts';
import type { QueueMessage } from '#shared/platform/declarations/worker.ts';
import { MAX_MESSAGE_DELAY_MS } from '#shared/platform/queues/queues.ts';
import type { Answer } from '#shared/platform/webhooks/post.ts';
import { duringProbe } from '#shared/platform/webhooks/schedule.ts';
import type { DeliveryMessage } from '#shared/vocabulary.ts';
import { afterAnswer, changeWrites, HEALTH_USES } from './health.ts';
import { announce, countAttempts, sendOrReport } from './outcome.ts';
import { afterAttempt, begin, type WebhookDelivery } from './rules.ts';
import { bodyOf, send } from './send.ts';

export const ATTEMPT_USES = {
  webhookEndpoints: [...HEALTH_USES.webhookEndpoints, 'check'],
  webhookDeliveries: ['find', 'replace'],
  events: ['find'],
} as const;

type AttemptStores = StoresOf<typeof ATTEMPT_USES>;
type Message = QueueMessage<DeliveryMessage>;

/** Tries while others change the endpoint or the delivery. The reconciler sends another message if they were too few. */
const MAX_TRIES = 2;
/** Tries to record an answer. Of answers that arrive together, each try records one, until the endpoint fails. */
const MAX_HEALTH_TRIES = 8;

/**
 * Makes the attempt of a delivery that has a row: one that was attempted before, or that a request asked for (CONTRACT §15).
 * A late, forged or duplicate message changes nothing.
 */
export const attemptDelivery = async (message: Message, stores: AttemptStores): Promise<void> => {
  const { body, now, report, sendAgain } = message;
  const { webhook_delivery_id: id } = body;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const delivery = (await stores.webhookDeliveries.find([id])).get(id);
    if (!delivery) return report('the delivery of a message does not exist', body);
    const at = now();
    if (delivery.status !== 'pending' || delivery.lease_until > Date.parse(at)) return;
    const earlyMs = Date.parse(delivery.next_attempt_at ?? at) - Date.parse(at);
    if (earlyMs > 0) return earlyMs <= MAX_MESSAGE_DELAY_MS ? sendAgain(earlyMs) : undefined;
    const endpoint = await findEndpoint(delivery, stores);
    const { kind, after } = begin(delivery, endpoint, at, Math.random());
    const { webhookEndpoints, webhookDeliveries } = stores;
    const isDone = await message.commit(() => [
      ...webhookDeliveries.replace(delivery, after),
      // So a change of the endpoint that commits later finds the waiting delivery.
      ...(endpoint && kind === 'wait' ? webhookEndpoints.check(endpoint, ['probe_at']) : []),
      ...(endpoint && kind === 'probe'
        ? webhookEndpoints.move(endpoint, duringProbe(endpoint, Date.parse(at)), ['version', 'probe_at'])
        : []),
    ]);
    if (!isDone) continue;
    if (kind === 'fail') countAttempts([after], message);
    if (endpoint && (kind === 'attempt' || kind === 'probe')) {
      // The lease ends, and the reconciler repeats the attempt.
      await attempt(after, endpoint, kind, message, stores).catch((error) =>
        report('an attempt has failed', { ...body, error }),
      );
    }
    return;
  }
};

const findEndpoint = async (
  { webhook_endpoint_id: id }: WebhookDelivery,
  { webhookEndpoints }: AttemptStores,
): Promise<WebhookEndpoint | undefined> => (await webhookEndpoints.find([id])).get(id);

const attempt = async (
  delivery: WebhookDelivery,
  endpoint: WebhookEndpoint,
  kind: 'attempt' | 'probe',
  message: Message,
  stores: AttemptStores,
): Promise<void> => {
  const at = message.now();
  const { id, event_id, event_type } = delivery;
  const sent = {
    id: event_id === null ? `evt_test_${id}` : `evt_${event_id}`,
    body: await readBody(delivery, stores),
    at,
    log: { event_type, event_id: event_id ?? undefined, webhook_delivery_id: id, attempt: delivery.step },
  };
  const answer = await send(endpoint, sent, message);
  await recordHealth(delivery, { answer, isProbe: kind === 'probe', url: endpoint.url }, message, stores);
  const after = afterAttempt(delivery, { answer, at }, message.now(), Math.random());
  if (!(await message.commit(() => stores.webhookDeliveries.replace(delivery, after)))) return;
  countAttempts([after], message);
  await announce(after, message);
};

const readBody = async ({ event_id, test_body = '' }: WebhookDelivery, { events }: AttemptStores): Promise<string> => {
  if (event_id === null) return test_body;
  const event = (await events.find([event_id])).get(event_id);
  if (!event) throw new Error(`The event ${event_id} of a delivery does not exist.`);
  return bodyOf(event);
};

/** Reads the endpoint again: other attempts may have ended meanwhile. */
const recordHealth = async (
  delivery: WebhookDelivery,
  ended: { readonly answer: Answer; readonly isProbe: boolean; readonly url: string },
  message: Message,
  stores: AttemptStores,
): Promise<void> => {
  for (let tries = 0; tries < MAX_HEALTH_TRIES; tries++) {
    if (tries > 0) await backoff(tries);
    const before = await findEndpoint(delivery, stores);
    const after = before && afterAnswer(before, ended, message.now());
    if (!before || !after || after === before) return;
    if (!(await message.commit(() => changeWrites(stores, before, after, [...fenceOf(before, after), 'probe_at']))))
      continue;
    if (after.version !== before.version) message.count('WebhookEndpointsDisabled');
    const { account_id } = message.body;
    if (after.resume_after === 0) await sendOrReport(message, { account_id, webhook_endpoint_id: after.id });
    return;
  }
  message.report('an answer was not recorded', message.body);
};
