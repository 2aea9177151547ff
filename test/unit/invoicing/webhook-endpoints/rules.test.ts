import { expect, test } from '@jest/globals';
import {
  checkRewindPause,
  createWebhookEndpoint,
  disable,
  isSubscribed,
  patchWebhookEndpoint,
  rewind,
  rotateSecret,
  validSecrets,
  type WebhookEndpoint,
} from '#shared/invoicing/webhook-endpoints/rules.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { HEALTHY } from '#shared/platform/webhooks/schedule.ts';
import { problemOf } from '../problem.ts';

const THEN = '2026-01-01T00:00:00.000Z';
const AT = '2026-11-21T09:30:00.000Z';
const after = (ms: number) => new Date(Date.parse(AT) + ms).toISOString();
const HOUR = 3_600_000;

const TERMS = { url: 'https://a.test', description: null, event_types: ['invoice.paid'], status: 'enabled' } as const;
const create = (status: WebhookEndpoint['status']) =>
  createWebhookEndpoint({ ...TERMS, status }, 'whsec_1', { sequence: 5, last_id: 500 }, { id: 7, at: THEN });
const ENABLED = create('enabled');
const UNHEALTHY = { failures: 5, failing_since: 1, probes: 2, probe_at: Date.parse(AT) };
const CHANGED = { version: 2, updated_at: AT };

test.each([
  ['enabled', null],
  ['disabled', 'requested'],
] as const)(
  'a new endpoint that is %s: healthy, at the end of the feed, disabled_reason %s [CONTRACT §15]',
  (status, disabled_reason) => {
    expect(create(status)).toEqual({
      ...{ ...TERMS, ...HEALTHY, id: 7, version: 1, created_at: THEN, updated_at: THEN, status, disabled_reason },
      ...{ secrets: [{ value: 'whsec_1' }], position: 5, position_id: 500, is_started: false },
      ...{ rewound_at: 0, lease_until: 0 },
    });
  },
);

/** A message follows, after which deliveries that wait continue. */
const RESTARTED = { resume_after: 0, due_at: Date.parse(AT) + 60_000 };
const DISABLED = { status: 'disabled', disabled_reason: 'gone' } as const;
test.each<[string, Partial<WebhookEndpoint>, Parameters<typeof patchWebhookEndpoint>[1], Partial<WebhookEndpoint>]>([
  ['the description: the health stays', UNHEALTHY, { description: 'x' }, { description: 'x' }],
  ['the URL: healthy again', UNHEALTHY, { url: 'https://b.test' }, { url: 'https://b.test', ...HEALTHY, ...RESTARTED }],
  [
    'status disabled: a reason',
    UNHEALTHY,
    { status: 'disabled' },
    { status: 'disabled', disabled_reason: 'requested' },
  ],
  [
    'status enabled: no reason, and healthy again',
    { ...UNHEALTHY, ...DISABLED },
    { status: 'enabled' },
    { status: 'enabled', disabled_reason: null, ...HEALTHY, ...RESTARTED },
  ],
])('PATCH of %s [CONTRACT §15]', (_, state, patch, expected) => {
  const before = { ...ENABLED, ...state };
  expect(patchWebhookEndpoint(before, patch, AT)).toEqual({ ...before, ...expected, ...CHANGED });
});

test('PATCH that changes nothing: the same endpoint, with its reason and its health [CONTRACT §4]', () => {
  const before = { ...ENABLED, ...UNHEALTHY, ...DISABLED };
  expect(patchWebhookEndpoint(before, { url: before.url, status: 'disabled' }, AT)).toBe(before);
});

test('an endpoint that is disabled: the reason, in its next version [CONTRACT §15]', () => {
  const disabled = { status: 'disabled', disabled_reason: 'failing' };
  expect(disable(ENABLED, 'failing', AT)).toEqual({ ...ENABLED, ...disabled, ...CHANGED });
});

test.each([
  [0, 60],
  [1, 60],
  [59_001, 1],
  [60_000, undefined],
])('a rewind %i ms after the last one: Retry-After %p [CONTRACT §15]', (ms, retryAfter) => {
  const check = () => checkRewindPause({ rewound_at: Date.parse(AT) }, after(ms));
  if (retryAfter === undefined) expect(check).not.toThrow();
  else expect(problemOf(check)).toMatchObject({ code: 'too-many-rewinds', facts: { retryAfter } });
});

const AT_FIVE = { position: 5, position_id: 500, is_started: true };

test.each([
  ['to an earlier event', 3, { id: 300, sequence: 3 }, { position: 3, position_id: 300, is_started: true }],
  ['to the beginning', 0, undefined, { position: 0, position_id: 0, is_started: true }],
  ['to its own position', 5, { id: 500, sequence: 5 }, AT_FIVE],
  ['beyond its position', 9, undefined, AT_FIVE],
])('a rewind %s: the position after that event, or unchanged [CONTRACT §15]', (_, sequence, event, expected) => {
  expect(rewind(AT_FIVE, { sequence, head: 8 }, event)).toEqual(expected);
});

test.each([
  ['to the beginning', 0, undefined, { position: 0, position_id: 0, is_started: true }],
  ['to the end of the feed at its creation', 5, undefined, AT_FIVE],
  ['to a later event of the feed', 8, undefined, AT_FIVE],
  ['beyond the feed', 9, undefined, { ...AT_FIVE, is_started: false }],
])(
  'a rewind %s before the endpoint has started: it starts, unless nothing is there [CONTRACT §15]',
  (_, sequence, event, expected) => {
    expect(rewind({ ...AT_FIVE, is_started: false }, { sequence, head: 8 }, event)).toEqual(expected);
  },
);

test.each([
  ['another event', { id: 400, sequence: 4 }],
  ['no event', undefined],
])('a rewind to a position whose event is not readable yet (%s): 503 `unavailable`', (_, event) => {
  expect(() => rewind(AT_FIVE, { sequence: 3, head: 8 }, event)).toThrow(
    new ProblemError('unavailable', { detail: 'Some events are not readable yet.' }),
  );
});

test('a rotation: the new secret comes first, and the old secret signs for 24 more hours [CONTRACT §15]', () => {
  const rotated = rotateSecret(ENABLED, 'whsec_2', AT);
  const secrets = [{ value: 'whsec_2' }, { value: 'whsec_1', valid_until: after(24 * HOUR) }];
  expect(rotated).toEqual({ ...ENABLED, ...CHANGED, secrets });
  expect(validSecrets(rotated, after(24 * HOUR - 1))).toEqual(['whsec_2', 'whsec_1']);
  expect(validSecrets(rotated, after(24 * HOUR))).toEqual(['whsec_2']);
  expect(rotateSecret(rotated, 'whsec_3', after(24 * HOUR)).secrets.map(({ value }) => value)).toEqual([
    'whsec_3',
    'whsec_2',
  ]);
});

test('eleven rotations within a day: only the last ten secrets sign [CONTRACT §15]', () => {
  let endpoint = ENABLED;
  for (let number = 2; number <= 12; number++) endpoint = rotateSecret(endpoint, `whsec_${number}`, AT);
  expect(validSecrets(endpoint, AT)).toEqual(Array.from({ length: 10 }, (_, i) => `whsec_${12 - i}`));
});

test.each([
  [['*'], true],
  [['invoice.paid', 'refund.created'], true],
  [['refund.created'], false],
])(
  'an endpoint with the event types %j: is subscribed to invoice.paid is %p [CONTRACT §15]',
  (event_types, expected) => {
    expect(isSubscribed({ ...ENABLED, event_types }, 'invoice.paid')).toBe(expected);
  },
);
