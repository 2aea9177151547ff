import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type Answer, pauseAfter } from '#shared/platform/webhooks/schedule.ts';

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
  /** Null after the last attempt. While the endpoint fails or is disabled, it may have passed. */
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  /** Number of attempts that have ended. */
  readonly attempts: number;
  /** Number of attempts since the creation of the delivery, or since the last request for another try. */
  readonly step: number;
  /**
   * The place of the next attempt among those of the endpoint: `next_attempt_at`, or {@link REQUESTED}. Null after the last
   * attempt. An index of the pending deliveries of each endpoint is sorted by it.
   */
  readonly queued_at: string | null;
  /** The body of a test, as a JSON text, because DynamoDB's maps have no order. */
  readonly test_body?: string | undefined;
  /** When DynamoDB deletes the row, in epoch seconds; absent while it is pending, so that no event is lost. */
  readonly expires_at?: number | undefined;
}

/** A request asked for the attempt: it comes before all others, and is made even while the endpoint fails. */
const REQUESTED = '0';

/** In epoch milliseconds; not a number without a next attempt. */
export const timeOf = ({ next_attempt_at }: WebhookDelivery): number => Date.parse(next_attempt_at ?? '');

export const isRequested = ({ queued_at }: Pick<WebhookDelivery, 'queued_at'>): boolean => queued_at === REQUESTED;

/** CONTRACT §15. */
const RETENTION_S = 30 * 86_400;

interface DeliveredEvent {
  readonly id: number | null;
  readonly type: string;
  readonly sequence: number | null;
}

/** A delivery without an attempt, whose first attempt is due. */
export const deliveryOf = (endpoint: Entity, event: DeliveredEvent, creation: Creation): WebhookDelivery =>
  createEntity(
    {
      webhook_endpoint_id: endpoint.id,
      event_id: event.id,
      event_type: event.type,
      sequence: event.sequence,
      status: 'pending',
      next_attempt_at: creation.at,
      last_attempt_at: null,
      response_status: null,
      response_body: null,
      error: null,
      attempts: 0,
      step: 0,
      queued_at: creation.at,
    },
    creation,
  );

/** @param origin the caller and the request that ask for the test */
export const testDelivery = (
  endpoint: WebhookEndpoint,
  origin: { readonly actor: string; readonly request_id: string },
  creation: Creation,
): WebhookDelivery => {
  const event = {
    id: null,
    sequence: null,
    type: TEST_TYPE,
    resource_type: 'webhook_endpoint',
    resource_id: endpoint.id,
    version: endpoint.version,
    changed: [],
    ...origin,
    created_at: creation.at,
    updated_at: creation.at,
  };
  return { ...deliveryOf(endpoint, event, creation), queued_at: REQUESTED, test_body: JSON.stringify(event) };
};

/**
 * @param endpoint undefined when it is deleted
 * @throws ProblemError `delivery-not-retryable` (CONTRACT §15)
 */
export const requireRetryable = (delivery: WebhookDelivery, endpoint: WebhookEndpoint | undefined): WebhookEndpoint => {
  if (delivery.status === 'pending') throw notRetryable('The delivery is pending.');
  if (!endpoint) throw notRetryable('The webhook endpoint of the delivery is deleted.');
  if (endpoint.status === 'disabled') throw notRetryable('The webhook endpoint of the delivery is disabled.');
  return endpoint;
};

const notRetryable = (detail: string) => new ProblemError('delivery-not-retryable', { detail });

export const retry = (delivery: WebhookDelivery, at: string): WebhookDelivery => {
  const due = { status: 'pending', step: 0, next_attempt_at: at, queued_at: REQUESTED, expires_at: undefined } as const;
  return nextVersion(delivery, { ...delivery, ...due }, at);
};

const ended = (at: string) => {
  const expires_at = Math.ceil(Date.parse(at) / 1000) + RETENTION_S;
  return { next_attempt_at: null, queued_at: null, expires_at };
};

export const cancel = (delivery: WebhookDelivery, at: string): WebhookDelivery =>
  nextVersion(delivery, { ...delivery, ...ended(at), status: 'canceled' }, at);

export interface Attempted {
  /** Undefined if nothing was sent, because the event of the delivery does not exist. */
  readonly answer: Answer | undefined;
  /** When it began and ended. */
  readonly at: string;
  readonly endedAt: string;
}

/** @param random in 0…1 */
export const afterAttempt = (
  delivery: WebhookDelivery,
  { answer, at, endedAt }: Attempted,
  random: number,
): WebhookDelivery => {
  if (!answer) return cancel(delivery, endedAt);
  const { status: response_status, body: response_body, error, retryAfterMs } = answer;
  const step = delivery.step + 1;
  const pauseMs = error ? pauseAfter(step, random, retryAfterMs) : undefined;
  const next = pauseMs === undefined ? undefined : new Date(Date.parse(endedAt) + pauseMs).toISOString();
  const status = next ? 'pending' : error ? 'failed' : 'succeeded';
  const place = next ? { next_attempt_at: next, queued_at: next } : ended(endedAt);
  const result = { step, attempts: delivery.attempts + 1, last_attempt_at: at, response_status, response_body, error };
  return nextVersion(delivery, { ...delivery, ...result, ...place, status }, endedAt);
};
