import { expect, test } from '@jest/globals';
import {
  cancel,
  deliveryOf,
  hold,
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
    ...{ attempt: 0, tries: 0, reminders: 0, lease_until: 0, due_at: Date.parse(AT) + MINUTE },
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

const FAILED: WebhookDelivery = { ...DELIVERY, status: 'failed', next_attempt_at: null, step: 5, tries: 2 };
const NEXT = { version: 2, updated_at: LATER, tries: 0, reminders: 0, lease_until: 0 };

test.each<[string, (delivery: WebhookDelivery, at: string) => WebhookDelivery, Partial<WebhookDelivery>]>([
  ['retried: due at once, from the first step', retry, { step: 0, is_requested: true }],
  ['resumed: due at once, from its step', resume, { step: 5, is_requested: false }],
])('a delivery that is %s [CONTRACT §15]', (_, change, own) => {
  expect(change(FAILED, LATER)).toMatchObject({
    ...{ ...NEXT, ...own, status: 'pending', next_attempt_at: LATER, held_by: undefined },
    ...{ due_at: Date.parse(LATER) + MINUTE, expires_at: expiryAfter(LATER) },
  });
});

test('a canceled delivery: no next attempt, and kept for 30 more days [CONTRACT §15]', () => {
  const canceled = { status: 'canceled', next_attempt_at: null, due_at: undefined, expires_at: expiryAfter(LATER) };
  expect(cancel(DELIVERY, LATER)).toEqual({ ...DELIVERY, ...canceled, version: 2, updated_at: LATER });
});

test('a held delivery: pending without a due time, for its endpoint, and kept for any time [CONTRACT §15]', () => {
  const held = { next_attempt_at: null, due_at: undefined, expires_at: undefined, held_by: 7 };
  expect(hold(DELIVERY, LATER)).toEqual({ ...DELIVERY, ...NEXT, ...held });
});
