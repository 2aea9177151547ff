import { expect, test } from '@jest/globals';
import { afterAnswer } from '#shared/invoicing/webhook-endpoints/health.ts';
import { createWebhookEndpoint, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { HEALTHY } from '#shared/platform/webhooks/schedule.ts';

const AT = '2026-11-21T09:30:00.000Z';
const NOW = Date.parse(AT);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const URL = 'https://receiver.test';
const ENABLED: WebhookEndpoint = {
  ...createWebhookEndpoint(
    { url: URL, description: null, event_types: ['*'], status: 'enabled' },
    'whsec_1',
    { sequence: 0, last_id: 0 },
    { id: 7, at: '2026-01-01T00:00:00.000Z' },
  ),
  due_at: 1,
};

const FOUR = { failures: 4, failing_since: 1000 + NOW - 120 * HOUR, probes: 0, probe_at: 0 };
const FAILING = { ...FOUR, failures: 5, probe_at: NOW };
const LONG = { ...FAILING, failing_since: NOW - 120 * HOUR };
const DISABLED = { status: 'disabled', disabled_reason: 'requested' } as const;
const disabledAs = (disabled_reason: 'gone' | 'failing') =>
  ({ status: 'disabled', disabled_reason, due_at: undefined, version: 2, updated_at: AT }) as const;
const OK = { status: 204, error: null };
const error = { code: 'unexpected-status', detail: '' } as const;
const FAILURE = { status: 500, error };
const GONE = { status: 410, error };

type State = Partial<WebhookEndpoint>;
test.each<[string, State, Partial<Parameters<typeof afterAnswer>[1]>, State]>([
  ['a success: healthy', FAILING, { answer: OK }, HEALTHY],
  ['the first failure', HEALTHY, {}, { failures: 1, failing_since: NOW }],
  ['the fifth failure: a probe in 5 min', FOUR, {}, { failures: 5, probe_at: NOW + 5 * MINUTE }],
  [
    'a failed probe: the next one in 30 min',
    FAILING,
    { attempt: { isProbe: true } },
    { failures: 6, probes: 1, probe_at: NOW + 30 * MINUTE },
  ],
  ['a failure that is no probe, of a failing endpoint: unchanged', LONG, {}, {}],
  ['a failed probe after 120 h: disabled', LONG, { attempt: { isProbe: true } }, disabledAs('failing')],
  [
    'a failure after 120 h, with fewer than five failures: disabled',
    { ...LONG, failures: 1, probe_at: 0 },
    {},
    disabledAs('failing'),
  ],
  ['410: disabled', HEALTHY, { answer: GONE }, disabledAs('gone')],
  ['nothing was sent: unchanged', FAILING, { answer: undefined, attempt: { isProbe: true } }, {}],
  ['410 of a former URL: unchanged', HEALTHY, { answer: GONE, url: 'https://former.test' }, {}],
  ['a success of a former URL: unchanged', FAILING, { answer: OK, url: 'https://former.test' }, {}],
  ['a success of a disabled endpoint: unchanged', { ...LONG, ...DISABLED }, { answer: OK }, {}],
  ['410 of a disabled endpoint: its reason stays', DISABLED, { answer: GONE }, {}],
])('an attempt has ended: %s [CONTRACT §15]', (_, state, ended, expected) => {
  const endpoint = { ...ENABLED, ...state };
  const after = afterAnswer(endpoint, {
    answer: FAILURE,
    attempt: { isProbe: false },
    url: URL,
    endedAt: AT,
    ...ended,
  });
  expect(after).toEqual({ ...endpoint, ...expected });
});
