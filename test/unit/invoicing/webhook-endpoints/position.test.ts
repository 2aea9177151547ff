import { expect, test } from '@jest/globals';
import { checkRewindPause, rewind } from '#shared/invoicing/webhook-endpoints/position.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { problemOf } from '../problem.ts';

const AT = '2026-11-21T09:30:00.000Z';
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
