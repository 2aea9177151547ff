import { expect, test } from '@jest/globals';
import {
  createWebhookEndpoint,
  patchWebhookEndpoint,
  type WebhookEndpoint,
} from '#shared/invoicing/webhook-endpoints/rules.ts';
import { HEALTHY } from '#shared/platform/webhooks/schedule.ts';

const THEN = '2026-01-01T00:00:00.000Z';
const AT = '2026-11-21T09:30:00.000Z';

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

/** Deliveries and events that waited are due. */
const RESTARTED = { ...HEALTHY, due_at: Date.parse(AT) };
const GONE = { status: 'disabled', disabled_reason: 'gone' } as const;
const WAITING = { ...UNHEALTHY, due_at: UNHEALTHY.probe_at };
const REQUESTED = { status: 'disabled', disabled_reason: 'requested', due_at: undefined } as const;
test.each<[string, Partial<WebhookEndpoint>, Parameters<typeof patchWebhookEndpoint>[1], Partial<WebhookEndpoint>]>([
  ['the description: the health stays', WAITING, { description: 'x' }, {}],
  ['the URL: healthy again, and due', WAITING, { url: 'https://b.test' }, RESTARTED],
  [
    'the URL of a disabled endpoint: healthy, and not due',
    { ...UNHEALTHY, ...GONE },
    { url: 'https://b.test' },
    HEALTHY,
  ],
  ['status disabled: a reason, and not due', WAITING, { status: 'disabled' }, REQUESTED],
  [
    'URL and status disabled: not due',
    WAITING,
    { url: 'https://b.test', status: 'disabled' },
    { ...HEALTHY, ...REQUESTED },
  ],
  [
    'status enabled: no reason, healthy again, and due',
    { ...UNHEALTHY, ...GONE },
    { status: 'enabled' },
    { disabled_reason: null, ...RESTARTED },
  ],
])('PATCH of %s [CONTRACT §15]', (_, state, patch, expected) => {
  const before = { ...ENABLED, ...state };
  expect(patchWebhookEndpoint(before, patch, AT)).toEqual({ ...before, ...patch, ...expected, ...CHANGED });
});

test('PATCH that changes nothing: the same endpoint, with its reason and its health [CONTRACT §4]', () => {
  const before = { ...ENABLED, ...UNHEALTHY, ...GONE };
  expect(patchWebhookEndpoint(before, { url: before.url, status: 'disabled' }, AT)).toBe(before);
});
