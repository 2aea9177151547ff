import { GRACE_MS, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { MAX_MESSAGE_DELAY_MS } from '#shared/platform/queues/queues.ts';
import { isFailing, MAX_ATTEMPTS, pauseAfter } from '#shared/platform/webhooks/schedule.ts';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;

/** The type of a delivery that is not in the feed. */
export const TEST_TYPE = 'webhook.test';

/**
 * A delivery of an event to a webhook endpoint (CONTRACT §15). Its row is written when its first attempt has ended, or when
 * a request asks for it. Times without a comment are in RFC 3339.
 */
export interface WebhookDelivery extends Entity {
  readonly webhook_endpoint_id: number;
  /** Null for a test. */
  readonly event_id: number | null;
  readonly event_type: string;
  readonly sequence: number | null;
  readonly status: (typeof DELIVERY_STATUSES)[number];
  /** Null when no attempt follows, and while the delivery waits for its endpoint. */
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  /** Number of attempts that have begun. */
  readonly attempt: number;
  /** Number of attempts since the creation of the delivery, or since the last request for another try. */
  readonly step: number;
  /** Whether a request asked for the next attempt. That attempt is made even while the endpoint fails. */
  readonly is_requested: boolean;
  /** The end of the attempt that runs at most, in epoch milliseconds; 0 without one. */
  readonly lease_until: number;
  /** When the reconciler sends a message, in epoch milliseconds; absent after the end. */
  readonly due_at?: number | undefined;
  /** The body of a test, as a JSON text, because DynamoDB's maps have no order. */
  readonly test_body?: string | undefined;
  /** When DynamoDB deletes the row, in epoch seconds; absent while the delivery waits, so that no event is lost. */
  readonly expires_at?: number | undefined;
}

/** Longer than an attempt, which lasts at most 15 s. */
const LEASE_MS = 60_000;
const DAY_MS = 86_400_000;
/** CONTRACT §15. */
const RETENTION_DAYS = 30;

const ms = (at: string): number => Date.parse(at);

const expiryAfter = (at: string): number => Math.ceil((ms(at) + RETENTION_DAYS * DAY_MS) / 1000);

type Subject = Pick<WebhookDelivery, 'webhook_endpoint_id' | 'event_id' | 'event_type' | 'sequence' | 'test_body'>;

const createDelivery = (subject: Subject, is_requested: boolean, creation: Creation): WebhookDelivery =>
  createEntity(
    {
      ...subject,
      status: 'pending',
      next_attempt_at: creation.at,
      last_attempt_at: null,
      response_status: null,
      response_body: null,
      error: null,
      attempt: 0,
      step: 0,
      is_requested,
      lease_until: 0,
      due_at: ms(creation.at) + GRACE_MS,
      expires_at: expiryAfter(creation.at),
    },
    creation,
  );

interface DeliveredEvent {
  readonly id: number;
  readonly type: string;
  readonly sequence: number;
}

/** A delivery without an attempt, whose first attempt is due. */
export const deliveryOf = (
  { id: webhook_endpoint_id }: Pick<WebhookEndpoint, 'id'>,
  { id: event_id, type: event_type, sequence }: DeliveredEvent,
  creation: Creation,
): WebhookDelivery => createDelivery({ webhook_endpoint_id, event_id, event_type, sequence }, false, creation);

/** @param origin the caller and the request that ask for the test */
export const testDelivery = (
  { id: webhook_endpoint_id, version }: WebhookEndpoint,
  origin: { readonly actor: string; readonly request_id: string },
  creation: Creation,
): WebhookDelivery => {
  const event = {
    id: null,
    sequence: null,
    type: TEST_TYPE,
    resource_type: 'webhook_endpoint',
    resource_id: webhook_endpoint_id,
    version,
    changed: [],
    ...origin,
    created_at: creation.at,
    updated_at: creation.at,
  };
  const subject = { webhook_endpoint_id, event_id: null, event_type: TEST_TYPE, sequence: null };
  return createDelivery({ ...subject, test_body: JSON.stringify(event) }, true, creation);
};

/**
 * @param endpoint the endpoint of the delivery; undefined when it is deleted
 * @returns the endpoint
 * @throws ProblemError `delivery-not-retryable` (CONTRACT §15)
 */
export const requireRetryable = <E extends Pick<WebhookEndpoint, 'status'>>(
  delivery: WebhookDelivery,
  endpoint: E | undefined,
): E => {
  if (delivery.status === 'pending') throw notRetryable('The delivery is pending.');
  if (!endpoint) throw notRetryable('The webhook endpoint of the delivery is deleted.');
  if (endpoint.status === 'disabled') throw notRetryable('The webhook endpoint of the delivery is disabled.');
  return endpoint;
};

const notRetryable = (detail: string) => new ProblemError('delivery-not-retryable', { detail });

export const retry = (delivery: WebhookDelivery, at: string): WebhookDelivery =>
  resume({ ...delivery, step: 0, is_requested: true }, at);

/** Makes the next attempt due at once. */
export const resume = (delivery: WebhookDelivery, at: string): WebhookDelivery => {
  const due = { next_attempt_at: at, due_at: ms(at) + GRACE_MS, expires_at: expiryAfter(at) };
  return nextVersion(delivery, { ...delivery, status: 'pending', lease_until: 0, ...due }, at);
};

/** Whether a delivery waits for its endpoint, which is disabled or fails. */
export const isWaiting = ({ status, next_attempt_at, lease_until }: WebhookDelivery, at: string): boolean =>
  status === 'pending' && next_attempt_at === null && lease_until <= ms(at);

const end = (delivery: WebhookDelivery, fields: Partial<WebhookDelivery>, at: string): WebhookDelivery => {
  const ended = { next_attempt_at: null, lease_until: 0, due_at: undefined, expires_at: expiryAfter(at) };
  return nextVersion(delivery, { ...delivery, ...ended, ...fields }, at);
};

export const cancel = (delivery: WebhookDelivery, at: string): WebhookDelivery =>
  end(delivery, { status: 'canceled' }, at);

const wait = (delivery: WebhookDelivery, due_at: number, at: string): WebhookDelivery =>
  nextVersion(delivery, { ...delivery, next_attempt_at: null, lease_until: 0, due_at, expires_at: undefined }, at);

/** Spreads the deliveries that wait for a probe, so that each of them may be the one that probes. */
const MAX_SPREAD_MS = 30_000;

/** How long a delivery that waits leaves its next attempt to the pump. */
const PACED_MS = 300_000;

/** Whether the pump attempts deliveries that wait. While the endpoint fails, they wait for its probes, until a recovery. */
export const mayResume = (endpoint: WebhookEndpoint): boolean =>
  endpoint.resume_after !== undefined && !isFailing(endpoint);

/** What follows from the message for a delivery that is due. */
interface Step {
  readonly kind: 'cancel' | 'wait' | 'fail' | 'attempt' | 'probe';
  readonly after: WebhookDelivery;
}

/**
 * A delivery of a disabled endpoint is looked at again after a day, then after as much time as has passed since its
 * creation: it costs almost nothing, and ends even if nobody reports that its endpoint was deleted.
 * @param endpoint undefined when it is deleted
 * @param random in 0…1
 */
export const begin = (
  delivery: WebhookDelivery,
  endpoint: WebhookEndpoint | undefined,
  at: string,
  random: number,
): Step => {
  const now = ms(at);
  if (!endpoint) return { kind: 'cancel', after: cancel(delivery, at) };
  if (endpoint.status === 'disabled') {
    const pauseMs = Math.max(DAY_MS, now - ms(delivery.created_at));
    return { kind: 'wait', after: wait(delivery, now + pauseMs, at) };
  }
  if (delivery.step >= MAX_ATTEMPTS) return { kind: 'fail', after: end(delivery, EXHAUSTED, at) };
  const isPaced = mayResume(endpoint) && delivery.id > (endpoint.resume_after ?? 0);
  if (isPaced && delivery.next_attempt_at === null) return { kind: 'wait', after: wait(delivery, now + PACED_MS, at) };
  const isHeldBack = isFailing(endpoint) && !delivery.is_requested;
  // While events wait, the pump probes with the next one. A delivery probes only if the pump is late.
  const hasPump = endpoint.due_at !== undefined || endpoint.lease_until > now;
  const probe_at = endpoint.probe_at + (hasPump ? MAX_SPREAD_MS : 0);
  if (isHeldBack && probe_at > now) {
    return { kind: 'wait', after: wait(delivery, probe_at + Math.round(random * MAX_SPREAD_MS), at) };
  }
  const { attempt, step, next_attempt_at } = delivery;
  const lease_until = now + LEASE_MS;
  const counts = { attempt: attempt + 1, step: step + 1, next_attempt_at: next_attempt_at ?? at };
  const claimed = { ...delivery, ...counts, lease_until, due_at: lease_until };
  return { kind: isHeldBack ? 'probe' : 'attempt', after: nextVersion(delivery, claimed, at) };
};

/** Each attempt was lost with its worker. */
const EXHAUSTED = {
  status: 'failed',
  error: { code: 'attempts-exhausted', detail: 'Each attempt ended without a result.' },
} as const;

interface Attempt {
  readonly answer: {
    /** Null without a response. */
    readonly status: number | null;
    readonly body: string | null;
    readonly error: WebhookDelivery['error'];
    readonly retryAfterMs: number | undefined;
  };
  /** When it began. */
  readonly at: string;
}

/**
 * The delivery after an attempt that was counted.
 * @param random in 0…1
 */
export const afterAttempt = (
  delivery: WebhookDelivery,
  { answer, at }: Attempt,
  now: string,
  random: number,
): WebhookDelivery => {
  const fields = {
    last_attempt_at: at,
    response_status: answer.status,
    response_body: answer.body,
    error: answer.error,
    is_requested: false,
  };
  if (!answer.error) return end(delivery, { ...fields, status: 'succeeded' }, now);
  const pauseMs = pauseAfter(delivery.step, random, answer.retryAfterMs);
  if (pauseMs === undefined) return end(delivery, { ...fields, status: 'failed' }, now);
  const next = ms(now) + pauseMs;
  const due_at = pauseMs <= MAX_MESSAGE_DELAY_MS ? next + GRACE_MS : next;
  const pending = { next_attempt_at: new Date(next).toISOString(), lease_until: 0, due_at };
  return nextVersion(delivery, { ...delivery, ...fields, ...pending }, now);
};

/** The delivery of an event whose first attempt has ended. Its creation is the beginning of the attempt. */
export const firstAttempted = (
  endpoint: Pick<WebhookEndpoint, 'id'>,
  event: DeliveredEvent,
  { answer, at, endedAt }: Attempt & { readonly endedAt: string },
  id: number,
  random: number,
): WebhookDelivery => {
  const begun = { ...deliveryOf(endpoint, event, { id, at }), attempt: 1, step: 1 };
  return { ...afterAttempt(begun, { answer, at }, endedAt, random), version: 1 };
};

/** The time until a message for the next attempt, in milliseconds; undefined if the reconciler sends it. */
export const messageDelay = ({ status, next_attempt_at }: WebhookDelivery, at: string): number | undefined => {
  if (status !== 'pending' || next_attempt_at === null) return undefined;
  const delayMs = Math.max(0, ms(next_attempt_at) - ms(at));
  return delayMs <= MAX_MESSAGE_DELAY_MS ? delayMs : undefined;
};
