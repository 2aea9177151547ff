import { firstIdAt } from '#shared/platform/id.ts';
import type { IdRange } from '#shared/platform/store/page.ts';
import { type Group, LEAF_ROWS, type LeafRow, rangesOf } from './leaves.ts';

/** A part of a requested range of ids: a group, a leaf, a part of a leaf, or the tail. */
export interface Segment extends IdRange {
  /** The number of existing rows in the segment; undefined until they are counted. */
  readonly rows: number | undefined;
  /** The assumed maximum of rows in an uncounted segment. It decides which leaves are read in advance. */
  readonly expected: number;
  /** Present when the segment is a whole group. */
  readonly group?: Group;
}

/** The assumed maximum of the rows in a part of the tail. With more, a page can take one more round trip. */
const PART_ROWS = 256;
/** Limit of the parts, which are counted at the same time. */
const MAX_PARTS = 48;
/** If a collection gets rows all the time, they are sealed when they are younger than this. */
const BUSY_MS = 60_000;

/** The limit of groups whose leaves are read in advance: 12 KB. */
const MAX_CANDIDATES = 12;

/**
 * The segments of a range in ascending order. Groups that a bound divides become leaves, and a leaf that a bound divides
 * is counted, so rows outside of the range do not matter, even if they are gone.
 * @returns undefined if groups and leaves were read from different states
 */
export const segmentsOf = (
  groups: readonly Group[],
  leaves: readonly LeafRow[],
  range: IdRange,
  now: number,
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
  return [...segments, ...tailOf(groups, range, now)];
};

/**
 * The rows that are not sealed. While rows are inserted, these are the rows of about half a minute: as many as the last
 * groups had in that time. Many rows are counted in parts, because a query counts at most 1 MB.
 */
const tailOf = (groups: readonly Group[], range: IdRange, now: number): Segment[] => {
  const end = groups.at(-1)?.end ?? 0;
  const from = Math.max(end + 1, range.from);
  const last = Math.min(range.before, firstIdAt(now));
  const isBusy = end > firstIdAt(now - BUSY_MS);
  const full = groups.slice(-2).filter(({ rows }) => rows >= LEAF_ROWS);
  const rowsPerId = Math.max(...full.map(({ id, end, rows }) => rows / (end + 1 - id)));
  const parts = isBusy ? Math.min(MAX_PARTS, Math.max(1, Math.ceil(((last - from) * rowsPerId) / PART_ROWS))) : 1;
  const starts = Array.from({ length: parts }, (_, i) => from + Math.floor(((last - from) / parts) * i));
  const segments = starts.map((start, i) => ({ from: start, before: starts[i + 1] ?? range.before }));
  return segments
    .filter(({ from, before }) => from < before)
    .map((segment) => ({ ...segment, rows: undefined, expected: PART_ROWS }));
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
