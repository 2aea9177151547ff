import { expect, test } from '@jest/globals';
import {
  afterAttempt,
  cancel,
  deliveryOf,
  isRequested,
  retry,
  testDelivery,
} from '#shared/invoicing/webhook-deliveries/rules.ts';
import { createWebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { pauseAfter } from '#shared/platform/webhooks/schedule.ts';
import fc from '#test/support/random/fast-check.ts';

const AT = '2026-11-21T09:30:00.000Z';
const LATER = '2026-11-22T09:30:00.000Z';
/** No next attempt, and kept for 30 more days, in epoch seconds [CONTRACT §15]. */
const ENDED = { next_attempt_at: null, queued_at: null, expires_at: Date.parse(LATER) / 1000 + 30 * 86_400 };
const CHANGED = { version: 2, updated_at: LATER };

const ENDPOINT = createWebhookEndpoint(
  { url: 'https://receiver.test', description: null, event_types: ['*'], status: 'enabled' },
  'whsec_1',
  { sequence: 0, last_id: 0 },
  { id: 7, at: AT },
);
const DELIVERY = deliveryOf(ENDPOINT, { id: 300, type: 'invoice.paid', sequence: 3 }, { id: 42, at: AT });

test('a test and a retry, but no other delivery: sorted before all times, without an expiry [CONTRACT §15]', () => {
  const tested = testDelivery(ENDPOINT, { actor: '', request_id: '' }, { id: 43, at: AT });
  const retried = retry({ ...cancel(DELIVERY, AT), step: 10, attempts: 12 }, LATER);
  expect([tested, retried, DELIVERY].map(isRequested)).toEqual([true, true, false]);
  expect([tested, retried, DELIVERY].map(({ queued_at }) => String(queued_at) < '1970')).toEqual([true, true, false]);
  expect(retried).toMatchObject({ status: 'pending', step: 0, attempts: 12, next_attempt_at: LATER });
  expect([tested, retried, DELIVERY].filter(({ expires_at }) => expires_at)).toEqual([]);
});

const answers = fc.record({
  status: fc.option(fc.integer({ min: 100, max: 999 })),
  body: fc.option(fc.string()),
  error: fc.constantFrom(null, { code: 'unexpected-status', detail: '' } as const),
  retryAfterMs: fc.option(fc.nat(100_000_000), { nil: undefined }),
});

test('an attempt: counted, with its result; then a next attempt, or kept for 30 more days [CONTRACT §15]', () => {
  const property = fc.property(
    fc.nat(9),
    fc.nat(30),
    answers,
    fc.double({ min: 0, max: 1, noNaN: true }),
    (...given) => {
      const [step, attempts, answer, random] = given;
      const before = { ...DELIVERY, step, attempts };
      const pauseMs = answer.error ? pauseAfter(step + 1, random, answer.retryAfterMs) : undefined;
      const next = pauseMs && new Date(Date.parse(LATER) + pauseMs).toISOString();
      const place = next ? { next_attempt_at: next, queued_at: next } : ENDED;
      const status = next ? 'pending' : answer.error ? 'failed' : 'succeeded';
      const result = { response_status: answer.status, response_body: answer.body, error: answer.error };
      expect(afterAttempt(before, { answer, at: AT, endedAt: LATER }, random)).toEqual({
        ...{ ...before, ...CHANGED, ...place, ...result, status },
        ...{ last_attempt_at: AT, step: step + 1, attempts: attempts + 1 },
      });
    },
  );
  fc.assert(property);
});

test('an attempt that sends nothing, because the event does not exist: canceled, and not counted [CONTRACT §15]', () => {
  const after = afterAttempt(DELIVERY, { answer: undefined, at: AT, endedAt: LATER }, 1 / 2);
  expect(after).toEqual({ ...DELIVERY, ...ENDED, ...CHANGED, status: 'canceled' });
});
