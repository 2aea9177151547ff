import { expect, test } from '@jest/globals';
import {
  afterAttempt,
  begin,
  cancel,
  deliveryOf,
  firstAttempted,
  messageDelay,
  requireRetryable,
  resume,
  retry,
  testDelivery,
  type WebhookDelivery,
} from '#shared/invoicing/webhook-deliveries/rules.ts';
import { createWebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { problemOf } from '../problem.ts';

const AT = '2026-11-21T09:30:00.000Z';
const LATER = '2026-11-22T09:30:00.000Z';
const MINUTE = 60_000;
/** In epoch seconds, 30 days after that time [CONTRACT §15]. */
const expiryAfter = (at: string) => Date.parse(at) / 1000 + 30 * 86_400;

const ENDPOINT = createWebhookEndpoint(
  { url: 'https://receiver.test', description: null, event_types: ['*'], status: 'enabled' },
  'whsec_1',
  { sequence: 0, last_id: 0 },
  { id: 7, at: AT },
);
const DELIVERY = deliveryOf(ENDPOINT, { id: 300, type: 'invoice.paid', sequence: 3 }, { id: 42, at: AT });

test('a new delivery: pending, due at once, and kept for 30 days [CONTRACT §15]', () => {
  expect(DELIVERY).toEqual({
    ...{ id: 42, version: 1, created_at: AT, updated_at: AT },
    ...{ webhook_endpoint_id: 7, event_id: 300, event_type: 'invoice.paid', sequence: 3 },
    ...{ status: 'pending', next_attempt_at: AT, last_attempt_at: null, step: 0, is_requested: false },
    ...{ response_status: null, response_body: null, error: null, expires_at: expiryAfter(AT) },
    ...{ attempt: 0, lease_until: 0, due_at: Date.parse(AT) + MINUTE },
  });
});

test('a test: a requested delivery without an event, whose body names the endpoint and the caller [CONTRACT §15]', () => {
  const { test_body, ...delivery } = testDelivery(
    ENDPOINT,
    { actor: 'user_1', request_id: 'req_1' },
    { id: 43, at: AT },
  );
  const own = { id: 43, event_id: null, event_type: 'webhook.test', sequence: null, is_requested: true };
  expect(delivery).toEqual({ ...DELIVERY, ...own });
  expect(JSON.parse(test_body ?? '')).toEqual({
    ...{ id: null, sequence: null, type: 'webhook.test', resource_type: 'webhook_endpoint', resource_id: 7 },
    ...{ version: 1, changed: [], actor: 'user_1', request_id: 'req_1', created_at: AT, updated_at: AT },
  });
});

const ENDED = ['succeeded', 'failed', 'canceled'] as const;
test.each(ENDED)('a delivery that is %s, to an enabled endpoint: retryable [CONTRACT §15]', (status) => {
  expect(requireRetryable({ ...DELIVERY, status }, ENDPOINT)).toBe(ENDPOINT);
});

test.each<[string, WebhookDelivery['status'], Parameters<typeof requireRetryable>[1], string]>([
  ['a pending delivery', 'pending', ENDPOINT, 'The delivery is pending.'],
  ['a deleted endpoint', 'failed', undefined, 'The webhook endpoint of the delivery is deleted.'],
  ['a disabled endpoint', 'failed', { status: 'disabled' }, 'The webhook endpoint of the delivery is disabled.'],
])('%s: delivery-not-retryable [CONTRACT §15]', (_, status, endpoint, detail) => {
  expect(problemOf(() => requireRetryable({ ...DELIVERY, status }, endpoint))).toEqual({
    code: 'delivery-not-retryable',
    facts: { detail },
  });
});

const FAILED: WebhookDelivery = { ...DELIVERY, status: 'failed', next_attempt_at: null, step: 5 };
const NEXT = { version: 2, updated_at: LATER, lease_until: 0 };

test.each<[string, (delivery: WebhookDelivery, at: string) => WebhookDelivery, Partial<WebhookDelivery>]>([
  ['retried: due at once, from the first step', retry, { step: 0, is_requested: true }],
  ['resumed: due at once, from its step', resume, { step: 5, is_requested: false }],
])('a delivery that is %s [CONTRACT §15]', (_, change, own) => {
  expect(change(FAILED, LATER)).toMatchObject({
    ...{ ...NEXT, ...own, status: 'pending', next_attempt_at: LATER },
    ...{ due_at: Date.parse(LATER) + MINUTE, expires_at: expiryAfter(LATER) },
  });
});

test('a canceled delivery: no next attempt, and kept for 30 more days [CONTRACT §15]', () => {
  const canceled = { status: 'canceled', next_attempt_at: null, due_at: undefined, expires_at: expiryAfter(LATER) };
  expect(cancel(DELIVERY, LATER)).toEqual({ ...DELIVERY, ...canceled, version: 2, updated_at: LATER });
});

const ms = (at: string) => Date.parse(at);
const DAY = 1440 * MINUTE;
const failing = { failures: 5, failing_since: ms(AT), probe_at: ms(LATER) };

test.each<[string, Partial<WebhookDelivery>, Partial<typeof ENDPOINT> | undefined, string, Partial<WebhookDelivery>]>([
  ['is deleted', {}, undefined, 'cancel', { status: 'canceled', due_at: undefined }],
  ['is disabled', {}, { status: 'disabled' }, 'wait', { next_attempt_at: null, due_at: ms(LATER) + DAY }],
  ['works', { step: 1, attempt: 3 }, {}, 'attempt', { step: 2, attempt: 4, lease_until: ms(LATER) + MINUTE }],
  ['works, after ten attempts without an end', { step: 10 }, {}, 'fail', { status: 'failed', next_attempt_at: null }],
  [
    'recovers, and it has waited',
    { next_attempt_at: null },
    { resume_after: 0 },
    'wait',
    { due_at: ms(LATER) + 5 * MINUTE },
  ],
  ['recovers, and the pump is behind it', { next_attempt_at: null }, { resume_after: 9e15 }, 'attempt', { step: 1 }],
  ['recovers, and it has not waited', {}, { resume_after: 0 }, 'attempt', { step: 1 }],
  ['fails, before its probe', {}, { ...failing, probe_at: ms(LATER) + 1 }, 'wait', { due_at: ms(LATER) + 15_001 }],
  ['fails, at its probe', {}, failing, 'probe', { step: 1, attempt: 1 }],
  ['fails, at its probe, with events that wait', {}, { ...failing, due_at: 1 }, 'wait', { due_at: ms(LATER) + 45_000 }],
  ['fails, for a requested attempt', { is_requested: true }, failing, 'attempt', { step: 1, attempt: 1 }],
])('a delivery that is due, of an endpoint that %s [CONTRACT §15]', (_, own, endpoint, kind, expected) => {
  const step = begin({ ...DELIVERY, ...own }, endpoint && { ...ENDPOINT, ...endpoint }, LATER, 1 / 2);
  expect(step).toEqual({ kind, after: expect.objectContaining({ ...expected, version: 2, updated_at: LATER }) });
});

test('a delivery that waits for a disabled endpoint: is looked at after as much time as it is old, and does not expire', () => {
  const at = new Date(ms(AT) + 40 * DAY).toISOString();
  const { after } = begin(DELIVERY, { ...ENDPOINT, status: 'disabled' }, at, 0);
  expect(after).toMatchObject({ due_at: ms(at) + 40 * DAY, expires_at: undefined });
});

const OK = { status: 204, body: '', retryAfterMs: undefined, error: null };
const ERROR = { code: 'unexpected-status', detail: 'The receiver responded with status 500.' } as const;
const FAILURE = { status: 500, body: 'no', retryAfterMs: undefined, error: ERROR };
const CLAIMED: WebhookDelivery = { ...DELIVERY, attempt: 1, step: 1, lease_until: ms(AT) + MINUTE };
const after = (delivery: WebhookDelivery, answer: typeof OK | typeof FAILURE) =>
  afterAttempt(delivery, { answer, at: AT }, LATER, 1 / 2);

test('an attempt that succeeds: ended, without an error [CONTRACT §15]', () => {
  expect(after(CLAIMED, OK)).toMatchObject({
    ...{ status: 'succeeded', response_status: 204, response_body: '', error: null, last_attempt_at: AT },
    ...{ next_attempt_at: null, lease_until: 0, due_at: undefined, expires_at: expiryAfter(LATER) },
  });
});

test.each([
  ['the first', 1, 5000, MINUTE],
  ['the second', 2, 5 * MINUTE, MINUTE],
  // SQS does not hide a message for so long, so the reconciler sends it at once.
  ['the third', 3, 30 * MINUTE, 0],
])(
  '%s attempt fails: pending, with a message or the reconciler for the next one [CONTRACT §15]',
  (_, step, pause, grace) => {
    const delivery = after({ ...CLAIMED, step }, FAILURE);
    const next = ms(LATER) + pause;
    expect(delivery).toMatchObject({
      ...{ status: 'pending', response_status: 500, response_body: 'no', error: ERROR, lease_until: 0 },
      ...{ next_attempt_at: new Date(next).toISOString(), due_at: next + grace },
    });
    expect(messageDelay(delivery, LATER)).toBe(grace > 0 ? pause : undefined);
  },
);

test('the tenth attempt fails: failed, and no message follows [CONTRACT §15]', () => {
  const delivery = after({ ...CLAIMED, step: 10 }, FAILURE);
  expect(delivery).toMatchObject({ status: 'failed', next_attempt_at: null, due_at: undefined });
  expect(messageDelay(delivery, LATER)).toBe(undefined);
});

test('the first attempt at an event: the row is new, and counts it [CONTRACT §15]', () => {
  const event = { id: 300, type: 'invoice.paid', sequence: 3 };
  const row = firstAttempted(ENDPOINT, event, { answer: FAILURE, at: AT, endedAt: LATER }, 42, 1 / 2);
  expect(row).toMatchObject({
    ...{ id: 42, version: 1, created_at: AT, updated_at: LATER, last_attempt_at: AT },
    ...{ attempt: 1, step: 1, status: 'pending', event_id: 300, sequence: 3 },
  });
});
