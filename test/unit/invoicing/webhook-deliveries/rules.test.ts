import { expect, test } from '@jest/globals';
import {
  type Attempted,
  afterAttempt,
  cancel,
  deliveryOf,
  isRequested,
  requireRetryable,
  retry,
  testDelivery,
  type WebhookDelivery,
} from '#shared/invoicing/webhook-deliveries/rules.ts';
import { createWebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { problemOf } from '../problem.ts';

const AT = '2026-11-21T09:30:00.000Z';
const LATER = '2026-11-22T09:30:00.000Z';
const MINUTE = 60_000;
/** No next attempt, and kept for 30 more days, in epoch seconds [CONTRACT §15]. */
const ENDED = { next_attempt_at: null, queued_at: null, expires_at: Date.parse(LATER) / 1000 + 30 * 86_400 };
const CHANGED = { version: 2, updated_at: LATER };

const ENDPOINT = createWebhookEndpoint(
  { url: 'https://receiver.test', description: null, event_types: ['*'], status: 'enabled' },
  'whsec_1',
  { sequence: 0, last_id: 0 },
  { id: 7, at: AT },
);
const EVENT = { id: 300, type: 'invoice.paid', sequence: 3 };
const DELIVERY = deliveryOf(ENDPOINT, EVENT, { id: 42, at: AT });

test('a new delivery: pending, due at once, without an expiry [CONTRACT §15]', () => {
  expect(DELIVERY).toEqual({
    ...{ id: 42, version: 1, created_at: AT, updated_at: AT, webhook_endpoint_id: 7 },
    ...{ event_id: 300, event_type: 'invoice.paid', sequence: 3, attempts: 0, step: 0, status: 'pending' },
    ...{ next_attempt_at: AT, queued_at: AT, last_attempt_at: null },
    ...{ response_status: null, response_body: null, error: null, expires_at: undefined },
  });
  expect(isRequested(DELIVERY)).toBe(false);
});

test('a test: a requested delivery without an event, whose body names the endpoint and the caller [CONTRACT §15]', () => {
  const origin = { actor: 'user_1', request_id: 'req_1' };
  const { test_body, ...delivery } = testDelivery(ENDPOINT, origin, { id: 43, at: AT });
  const own = { id: 43, event_id: null, event_type: 'webhook.test', sequence: null };
  expect(delivery).toEqual({ ...DELIVERY, ...own, queued_at: expect.any(String) });
  expect([isRequested(delivery), (delivery.queued_at ?? '') < '1970']).toEqual([true, true]);
  expect(JSON.parse(test_body ?? '')).toEqual({
    ...{ id: null, sequence: null, type: 'webhook.test', resource_type: 'webhook_endpoint', resource_id: 7 },
    ...{ version: 1, changed: [], ...origin, created_at: AT, updated_at: AT },
  });
});

test.each(['succeeded', 'failed', 'canceled'] as const)(
  'a delivery that is %s, to an enabled endpoint: retryable [CONTRACT §15]',
  (status) => expect(requireRetryable({ ...DELIVERY, status }, ENDPOINT)).toBe(ENDPOINT),
);

test.each<[string, WebhookDelivery['status'], Parameters<typeof requireRetryable>[1], string]>([
  ['a pending delivery', 'pending', ENDPOINT, 'The delivery is pending.'],
  ['a deleted endpoint', 'failed', undefined, 'The webhook endpoint of the delivery is deleted.'],
  [
    'a disabled endpoint',
    'failed',
    { ...ENDPOINT, status: 'disabled' },
    'The webhook endpoint of the delivery is disabled.',
  ],
])('%s: delivery-not-retryable [CONTRACT §15]', (_, status, endpoint, detail) => {
  expect(problemOf(() => requireRetryable({ ...DELIVERY, status }, endpoint))).toEqual({
    code: 'delivery-not-retryable',
    facts: { detail },
  });
});

test('a retried delivery: due at once, before all others, from the first step, without an expiry [CONTRACT §15]', () => {
  const failed: WebhookDelivery = { ...DELIVERY, ...ENDED, status: 'failed', step: 10, attempts: 12 };
  const due = { status: 'pending', step: 0, next_attempt_at: LATER, expires_at: undefined };
  const retried = retry(failed, LATER);
  expect(retried).toEqual({ ...failed, ...due, ...CHANGED, queued_at: expect.any(String) });
  expect(isRequested(retried)).toBe(true);
});

test('a canceled delivery: ended, and kept for 30 more days [CONTRACT §15]', () => {
  expect(cancel(DELIVERY, LATER)).toEqual({ ...DELIVERY, ...ENDED, ...CHANGED, status: 'canceled' });
});

const error = { code: 'unexpected-status', detail: 'The receiver responded with status 500.' } as const;
const OK: Attempted['answer'] = { status: 204, body: '', error: null, retryAfterMs: undefined };
const FAILURE: Attempted['answer'] = { status: 500, body: 'no', error, retryAfterMs: undefined };
const dueAfter = (ms: number) => {
  const at = new Date(Date.parse(LATER) + ms).toISOString();
  return { status: 'pending', next_attempt_at: at, queued_at: at, expires_at: undefined } as const;
};

test.each<[string, number, Attempted['answer'], Partial<WebhookDelivery>]>([
  ['succeeds', 1, OK, { ...ENDED, status: 'succeeded' }],
  ['fails for the first time', 0, FAILURE, dueAfter(5000)],
  ['fails for the second time', 1, FAILURE, dueAfter(5 * MINUTE)],
  ['fails with Retry-After', 1, { ...FAILURE, retryAfterMs: 7 * MINUTE }, dueAfter(7 * MINUTE)],
  ['fails without a response', 8, { ...FAILURE, status: null, body: null }, dueAfter(24 * 60 * MINUTE)],
  ['fails for the tenth time', 9, FAILURE, { ...ENDED, status: 'failed' }],
])('an attempt that %s: the result, and the next attempt or none [CONTRACT §15]', (_, step, answer, expected) => {
  const { test_body, ...requested } = testDelivery(ENDPOINT, { actor: '', request_id: '' }, { id: 42, at: AT });
  const before = { ...requested, step, attempts: step + 3 };
  const result = { response_status: answer?.status, response_body: answer?.body, error: answer?.error };
  expect(afterAttempt(before, { answer, at: AT, endedAt: LATER }, 1 / 2)).toEqual({
    ...{ ...before, ...CHANGED, ...expected, ...result },
    ...{ last_attempt_at: AT, step: step + 1, attempts: step + 4 },
  });
});

test('an attempt that sends nothing, because the event does not exist: canceled, and not counted [CONTRACT §15]', () => {
  const attempted = { answer: undefined, at: AT, endedAt: LATER };
  expect(afterAttempt(DELIVERY, attempted, 1 / 2)).toEqual(cancel(DELIVERY, LATER));
});
