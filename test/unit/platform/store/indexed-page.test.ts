import { expect, test } from '@jest/globals';
import { candidatesOf, type Segment, segmentsOf } from '#shared/platform/store/indexed-page.ts';
import type { Group, LeafRow } from '#shared/platform/store/page-index/leaves.ts';
import fc from '#test/support/random/fast-check.ts';

const NOW = Date.parse('2026-11-21T09:30:00Z');

/** Three groups of two leaves with 10 ids each. */
const groups: readonly Group[] = [0, 1, 2].map((n) => ({ id: 20 * n, end: 20 * n + 19, rows: 7, deletes: 0 }));
const leavesOf = ({ id, end }: Group): LeafRow => ({
  id,
  end,
  leaves: [
    { from: id, rows: 3 },
    { from: id + 10, rows: 4 },
  ],
});
const divides =
  (bound: number) =>
  ({ id, end }: Group) =>
    id < bound && bound <= end;

const ranges = fc.tuple(fc.nat(80), fc.nat(80)).map(([from, length]) => ({ from, before: from + length }));

test('any range, with leaves only of the groups that a bound divides: the segments are its ids in ascending order', () => {
  fc.assert(
    fc.property(ranges, (range) => {
      const divided = groups.filter((group) => [range.from, range.before].some((bound) => divides(bound)(group)));
      const segments = segmentsOf(groups, divided.map(leavesOf), range, NOW);
      const ids = segments?.flatMap(({ from, before }) => Array.from({ length: before - from }, (_, i) => from + i));
      expect(ids).toEqual(Array.from({ length: range.before - range.from }, (_, i) => range.from + i));
    }),
  );
});

test('a divided group whose leaves were read from another state: no segments', () => {
  const [first] = groups as [Group];
  const older = { ...leavesOf(first), end: first.end - 1 };
  expect(segmentsOf(groups, [older], { from: 5, before: 15 }, NOW)).toBeUndefined();
});

/** Three groups of 10 rows, after which a tail of unknown length follows. */
const counted: readonly Segment[] = [
  ...groups.map((group) => ({ from: group.id, before: group.end + 1, rows: 10, expected: 10, group })),
  { from: 60, before: 100, rows: undefined, expected: 256 },
];

test.each([
  ['a row of the second group', counted, 15, [20]],
  ['a row of the tail', counted, 35, []],
  ['descending, a row that may be in the tail or in a group', counted.toReversed(), 15, [40, 20]],
])('%s: the candidates are the groups that may contain it', (_, segments, offset, ids) => {
  expect(candidatesOf(segments, offset).map(({ id }) => id)).toEqual(ids);
});
