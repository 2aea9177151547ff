import type { IdRange } from '#shared/platform/store/page.ts';
import { type Group, type LeafRow, rangesOf } from './leaves.ts';

/** A part of a requested range of ids: a group, a leaf, a part of a leaf, or the tail. */
export interface Segment extends IdRange {
  /** The number of existing rows in the segment; undefined until they are counted. */
  readonly rows: number | undefined;
  /** The assumed maximum of rows in an uncounted segment. It decides which leaves are read in advance. */
  readonly expected: number;
  /** Present when the segment is a whole group. */
  readonly group?: Group;
}

/**
 * The assumed maximum of a tail. Longer tails are rare, because a list asks for sealing. With one, a page in descending
 * order takes one more round trip.
 */
const EXPECTED_TAIL = 256;

/** The limit of groups whose leaves are read in advance. */
const MAX_CANDIDATES = 4;

/**
 * The segments of a range in ascending order. Groups that a bound divides become leaves, and a leaf that a bound divides
 * is counted, so rows outside of the range do not matter, even if they are gone.
 * @returns undefined if groups and leaves were read from different states
 */
export const segmentsOf = (
  groups: readonly Group[],
  leaves: readonly LeafRow[],
  range: IdRange,
): Segment[] | undefined => {
  // A query is not a snapshot: it may show a group, but not the last rows of the group before it.
  if (groups.some(({ id }, i) => i > 0 && id !== (groups[i - 1] as Group).end + 1)) return undefined;
  const segments: Segment[] = [];
  for (const group of groups) {
    if (group.end < range.from || group.id >= range.before) continue;
    const isWhole = range.from <= group.id && group.end < range.before;
    const parts = isWhole ? [wholeGroup(group)] : leavesOf(group, leaves);
    if (!parts) return undefined;
    segments.push(...parts.flatMap((part) => cut(part, range)));
  }
  const end = groups.at(-1)?.end ?? 0;
  const tail = { from: Math.max(end + 1, range.from), before: range.before };
  if (tail.from < tail.before) segments.push({ ...tail, rows: undefined, expected: EXPECTED_TAIL });
  return segments;
};

const wholeGroup = (group: Group): Segment => ({
  from: group.id,
  before: group.end + 1,
  rows: group.rows,
  expected: group.rows,
  group,
});

/** The leaves of a group as segments; undefined if they were not read, or were read from another state. */
export const leavesOf = ({ id, end }: Group, read: readonly LeafRow[]): Segment[] | undefined => {
  const row = read.find((leaves) => leaves.id === id);
  if (row?.end !== end) return undefined;
  return rangesOf(row).map((leaf) => ({ ...leaf, expected: leaf.rows }));
};

const cut = (segment: Segment, range: IdRange): Segment[] => {
  const from = Math.max(segment.from, range.from);
  const before = Math.min(segment.before, range.before);
  if (from >= before) return [];
  const isWhole = from === segment.from && before === segment.before;
  return [isWhole || segment.group ? segment : { from, before, rows: undefined, expected: segment.expected }];
};

/** The segment with the row at an offset, and how many of its rows precede that row. */
export interface Position {
  readonly index: number;
  readonly skip: number;
}

/** @param segments in the order of the page */
export const locate = (
  segments: readonly Segment[],
  offset: number,
  rowsOf: (segment: Segment) => number = ({ rows }) => rows ?? 0,
): Position | undefined => {
  let skip = offset;
  for (const [index, segment] of segments.entries()) {
    const rows = rowsOf(segment);
    if (skip < rows) return { index, skip };
    skip -= rows;
  }
  return undefined;
};

/** The groups that may contain the row at an offset, while some segments are not counted yet. */
export const candidatesOf = (segments: readonly Segment[], offset: number): Group[] => {
  const first = locate(segments, offset, ({ rows, expected }) => rows ?? expected)?.index ?? segments.length;
  const last = locate(segments, offset)?.index ?? segments.length;
  const groups = segments.slice(first, last + 1).flatMap(({ group }) => group ?? []);
  return groups.slice(-MAX_CANDIDATES);
};
