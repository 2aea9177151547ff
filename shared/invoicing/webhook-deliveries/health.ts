import { setTimeout as sleep } from 'node:timers/promises';
import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { disable, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { Answer } from '#shared/platform/webhooks/post.ts';
import { afterFailure, HEALTHY, type Health, isFailing, isGivenUp } from '#shared/platform/webhooks/schedule.ts';
import type { QueueMessage } from '#shared/platform/worker.ts';
import type { DeliveryMessage } from '#shared/vocabulary.ts';

type Message = QueueMessage<DeliveryMessage>;
type Stores = StoresOf<{ readonly webhookEndpoints: readonly ['find', 'move', 'replace'] }>;

interface Attempt {
  /** The endpoint as it was read before the attempt. */
  readonly endpoint: WebhookEndpoint;
  readonly answer: Answer;
  readonly isProbe: boolean;
}

/**
 * Changes the health of the endpoint after an attempt, or disables it. It tries again when another sender has changed the
 * endpoint at the same time. A response of a former URL changes nothing.
 */
export const recordHealth = async (attempt: Attempt, message: Message, stores: Stores): Promise<void> => {
  const { endpoint } = attempt;
  // Most attempts change nothing, and need not wait for others.
  if (healthWrites(endpoint, attempt, message, stores).length === 0) return;
  await afterOthers(`${message.body.account_id}#${endpoint.id}`, (isFirst) =>
    changeHealth(attempt, isFirst ? endpoint : undefined, message, stores),
  );
};

/** Limit of the random pause before a new try: senders of other instances change the same item. */
const MAX_PAUSE_MS = 100;

const changeHealth = async (
  attempt: Attempt,
  known: WebhookEndpoint | undefined,
  message: Message,
  stores: Stores,
): Promise<void> => {
  const { id, url } = attempt.endpoint;
  const find = async () => (await stores.webhookEndpoints.find([id])).get(id);
  let endpoint = known ?? (await find());
  while (endpoint?.status === 'enabled' && endpoint.url === url) {
    const writes = healthWrites(endpoint, attempt, message, stores);
    const isDone = await message.commit(() => writes);
    if (isDone && writes.some(({ change }) => change)) message.count('WebhookEndpointsDisabled');
    if (isDone && (attempt.answer.error || !isFailing(endpoint))) return;
    if (isDone) return sendContinuation(id, message);
    await sleep(Math.random() * MAX_PAUSE_MS);
    endpoint = await find();
  }
};

/** Limit of waiting for others: one of them can be lost in a call that does not end. */
const MAX_WAIT_MS = 1000;

const works = new Map<string, Promise<unknown>>();

/**
 * Runs works with the same key one after the other. Without it, hundreds of deliveries that fail at one moment would
 * compete for the item of their endpoint, although only the first failures count.
 */
const afterOthers = async (key: string, work: (isFirst: boolean) => Promise<void>): Promise<void> => {
  const isFirst = !works.has(key);
  const last = Promise.race([works.get(key), sleep(MAX_WAIT_MS, undefined, { ref: false })]).catch(() => {});
  const current = isFirst ? work(true) : last.then(() => work(false));
  works.set(key, current);
  try {
    await current;
  } finally {
    if (works.get(key) === current) works.delete(key);
  }
};

/** Resumes the held deliveries. If sending fails, the reconciler sends a message later. */
const sendContinuation = async (webhook_endpoint_id: number, { send, report, body }: Message): Promise<void> => {
  const message = { account_id: body.account_id, webhook_endpoint_id };
  await send('deliveries', message).catch((error) => report('message not sent', { ...message, error }));
};

/** The receiver wants no more events (CONTRACT §15). */
const GONE = 410;

const healthWrites = (
  endpoint: WebhookEndpoint,
  { answer: { status, error }, isProbe }: Attempt,
  message: Message,
  { webhookEndpoints }: Stores,
) => {
  const at = message.now();
  if (status === GONE) return webhookEndpoints.replace(endpoint, disable(endpoint, 'gone', at));
  const before = healthOf(endpoint);
  const health = error ? afterFailure(before, Date.parse(at), isProbe) : HEALTHY;
  return health !== before && isGivenUp(health, Date.parse(at))
    ? webhookEndpoints.replace(endpoint, disable(endpoint, 'failing', at), ['failures'])
    : webhookEndpoints.move(endpoint, health, ['failures', 'version']);
};

export const healthOf = ({ failures, failing_since, probes, probe_at }: WebhookEndpoint): Health => ({
  failures,
  failing_since,
  probes,
  probe_at,
});
