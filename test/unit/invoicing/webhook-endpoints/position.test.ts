import { expect, test } from '@jest/globals';
import { rewind } from '#shared/invoicing/webhook-endpoints/position.ts';
import { ProblemError } from '#shared/platform/problem.ts';

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
