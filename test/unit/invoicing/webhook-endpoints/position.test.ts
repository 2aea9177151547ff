import { expect, test } from '@jest/globals';
import {
  afterCreation,
  checkRewindPause,
  positionBefore,
  rewind,
} from '#shared/invoicing/webhook-endpoints/position.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { problemOf } from '../problem.ts';

const AT = '2026-11-21T09:30:00.000Z';
const NOT_STARTED = { id: 7, position: 5, position_id: 500, is_started: false };
const toEvents = (...subjects: readonly (readonly [type: string, resource_id: number])[]) =>
  subjects.map(([type, resource_id], i) => ({ type, resource_id, id: 600 + 100 * i, sequence: 6 + i }) as EventRow);
/** With the creation of the endpoint as the third event, whose sequence is 8. */
const EVENTS = toEvents(
  ['invoice.created', 7],
  ['webhook_endpoint.created', 8],
  ['webhook_endpoint.created', 7],
  ['webhook_endpoint.updated', 7],
);

test.each([
  ['that has started: all events', { ...NOT_STARTED, is_started: true }, EVENTS, [6, 7, 8, 9]],
  ['whose creation is read: the events after it', NOT_STARTED, EVENTS, [9]],
  ['whose creation follows: no events', NOT_STARTED, EVENTS.slice(0, 2), []],
])('an endpoint %s [CONTRACT §15]', (_, endpoint, events, expected) => {
  expect(afterCreation(endpoint, events).map(({ sequence }) => sequence)).toEqual(expected);
});

test.each([
  ['without events: unchanged', undefined, [], { position: 5, position_id: 500, is_started: false }],
  ['after all events', undefined, EVENTS, { position: 9, position_id: 900, is_started: true }],
  ['before the last event', EVENTS[3], EVENTS, { position: 8, position_id: 800, is_started: true }],
  ['before the creation of the endpoint', EVENTS[2], EVENTS, { position: 7, position_id: 700, is_started: false }],
  ['before the first event: unchanged', EVENTS[0], EVENTS, { position: 5, position_id: 500, is_started: false }],
])('the position %s [CONTRACT §15]', (_, next, events, expected) => {
  expect(positionBefore(next, NOT_STARTED, events)).toEqual(expected);
  expect(positionBefore(next, { ...NOT_STARTED, is_started: true }, events)).toEqual({ ...expected, is_started: true });
});

test.each([
  [0, 60],
  [1, 60],
  [59_001, 1],
  [60_000, undefined],
])('a rewind %i ms after the last one: Retry-After %p [CONTRACT §15]', (ms, retryAfter) => {
  const check = () => checkRewindPause({ rewound_at: Date.parse(AT) }, new Date(Date.parse(AT) + ms).toISOString());
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
