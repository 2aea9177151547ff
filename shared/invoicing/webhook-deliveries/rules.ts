import type { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { type Creation, createEntity } from '#shared/platform/entity.ts';
import { created, ended, held, type JobState, started } from '#shared/platform/jobs/state.ts';
import { ProblemError } from '#shared/platform/problem.ts';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'canceled'] as const;

/** The type of a delivery that is not in the feed. */
export const TEST_TYPE = 'webhook.test';

/** A delivery of an event to a webhook endpoint, and the state of the job that makes its attempts (CONTRACT §15). */
export interface WebhookDelivery extends JobState {
  readonly webhook_endpoint_id: number;
  /** Null for a test. */
  readonly event_id: number | null;
  readonly event_type: string;
  readonly sequence: number | null;
  readonly status: (typeof DELIVERY_STATUSES)[number];
  readonly next_attempt_at: string | null;
  readonly last_attempt_at: string | null;
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  /** Number of attempts since the creation of the delivery, or since the last request for another try. */
  readonly step: number;
  /** Whether a request asked for the next attempt. That attempt is made even while the endpoint fails. */
  readonly is_requested: boolean;
  /** The body of a test, as a JSON text, because DynamoDB's maps have no order. */
  readonly test_body?: string | undefined;
  /** When DynamoDB deletes the row, in epoch seconds; absent while the delivery is held, so that no event is lost. */
  readonly expires_at?: number | undefined;
}

/** If no worker claims the job of a message for this time, the message counts as lost. */
export const GRACE_MS = 60_000;

const DAY_MS = 86_400_000;
/** CONTRACT §15. */
const RETENTION_DAYS = 30;

const expiryAfter = (at: string): number => Math.ceil((Date.parse(at) + RETENTION_DAYS * DAY_MS) / 1000);

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
      step: 0,
      is_requested,
      expires_at: expiryAfter(creation.at),
      ...created(creation.at, 0, GRACE_MS),
    },
    creation,
  );

interface DeliveredEvent {
  readonly id: number;
  readonly type: string;
  readonly sequence: number;
}

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

export const retry = (delivery: WebhookDelivery, at: string): WebhookDelivery =>
  resume({ ...delivery, step: 0, is_requested: true }, at);

const notRetryable = (detail: string) => new ProblemError('delivery-not-retryable', { detail });

/** Makes the next attempt due at once. */
export const resume = (delivery: WebhookDelivery, at: string): WebhookDelivery => {
  const fields = { status: 'pending', next_attempt_at: at, expires_at: expiryAfter(at) } as const;
  return started({ graceMs: GRACE_MS }, delivery, fields, at);
};

export const cancel = (delivery: WebhookDelivery, at: string): WebhookDelivery =>
  ended(delivery, { status: 'canceled', next_attempt_at: null, expires_at: expiryAfter(at) }, at);

/** Holds a delivery back until its endpoint is enabled and works, is probed, or is deleted. */
export const hold = (delivery: WebhookDelivery, at: string): WebhookDelivery =>
  held(delivery, { next_attempt_at: null, expires_at: undefined }, delivery.webhook_endpoint_id, at);
