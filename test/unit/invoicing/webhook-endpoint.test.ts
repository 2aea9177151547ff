import { expect, test } from '@jest/globals';
import { rewind } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { ProblemError } from '#shared/platform/problem.ts';

const AT_FIVE = { position: 5, position_id: 500, is_started: true };

test.each([
  ['to an earlier event', 3, { id: 300, sequence: 3 }, { position: 3, position_id: 300, is_started: true }],
  ['to the beginning', 0, undefined, { position: 0, position_id: 0, is_started: true }],
  ['to its own position', 5, { id: 500, sequence: 5 }, AT_FIVE],
  ['beyond its position', 9, undefined, AT_FIVE],
])('a rewind %s: the position after that event, or unchanged [CONTRACT §15]', (_, sequence, event, expected) => {
  expect(rewind(AT_FIVE, sequence, event)).toEqual(expected);
});

test.each([
  ['another event', { id: 400, sequence: 4 }],
  ['no event', undefined],
])('a rewind for which %s was read: unavailable, because the dispatcher could not continue there', (_, event) => {
  expect(() => rewind(AT_FIVE, 3, event)).toThrow(
    new ProblemError('unavailable', { detail: 'Some events are not readable yet.' }),
  );
});
