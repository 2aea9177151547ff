import { backoff, MAX_READ_ATTEMPTS } from '#shared/platform/backoff.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type Group, LEAF_ROWS, type LeafRow, rangesOf } from '#shared/platform/store/page-index/leaves.ts';
import type { PageIndex } from '#shared/platform/store/page-index/page-index.ts';
import { mustAsk } from '#shared/platform/store/page-index/seal-request.ts';
import type { IdRange, OffsetRequest, Page } from './page.ts';
import type { CountProgress, PageReader } from './page-reader.ts';

/** Limit of the skipped rows that are read with a page. */
const MAX_SKIPPED = 512;

const ALL: IdRange = { from: 0, before: Number.MAX_SAFE_INTEGER };

type Reader<T extends Entity> = Pick<PageReader<T>, 'countRows' | 'readRows' | 'readCountedPage'>;

/**
 * Reads a page by number with a page index, in three sequential round trips (CONTRACT §5):
 *
 * 1. the groups, and the leaves that the bounds of the range divide;
 * 2. the number of rows in the tail and in the divided leaves, and the leaves of the group in which the page begins;
 * 3. the rows, from the beginning of a leaf.
 *
 * The reads are not a snapshot: `total_count` differs from the number of rows at the end by at most the rows that are
 * inserted and deleted meanwhile (docs/decisions/0046).
 */
export const readIndexedPage = async <T extends Entity>(
  request: OffsetRequest<string>,
  index: PageIndex,
  reader: Reader<T>,
  until: number,
): Promise<Page<T>> => {
  const range = request.range ?? ALL;
  const bounds = [range.from, range.before].filter((id) => id > ALL.from && id < ALL.before);
  for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
    const [{ groups, request: sealRequest }, ...divided] = await Promise.all([
      index.readGroups(),
      ...bounds.map((id) => index.findLeaves(id)),
    ]);
    let requested: Promise<void> | undefined;
    const onCount = (count: number) => {
      // A later reader repeats a request that fails.
      if (count > LEAF_ROWS && mustAsk(sealRequest, Date.now()))
        requested ??= index.request({ asked_at: Date.now() }).catch(() => {});
    };
    const progress = { until, onCount };
    try {
      if (!groups.at(-1)?.end) return await reader.readCountedPage(request, progress);
      const leaves = divided.filter((row) => row !== undefined);
      const segments = segmentsOf(groups, leaves, range, Date.now());
      const page = segments && (await readSegments(request, segments, index, reader, progress));
      if (page) return page;
    } finally {
      // Lambda stops the process after the response.
      await requested;
    }
    await backoff(attempt);
  }
  throw new ProblemError('unavailable', { detail: 'The page index kept changing.' });
};

/** @returns undefined when parts of the index were read from different states */
const readSegments = async <T extends Entity>(
  request: OffsetRequest<string>,
  segments: readonly Segment[],
  index: PageIndex,
  reader: Reader<T>,
  progress: CountProgress,
): Promise<Page<T> | undefined> => {
  const { range = ALL, order } = request;
  const offset = (request.page - 1) * request.per_page;
  const inOrder = <S>(list: readonly S[]) => (order === 'ascending' ? list : list.toReversed());
  const count = async (segment: Segment): Promise<Segment> => {
    if (segment.rows !== undefined) return segment;
    const { count: rows } = await reader.countRows(
      { ...request, range: segment },
      undefined,
      Number.POSITIVE_INFINITY,
      progress,
    );
    return { ...segment, rows };
  };
  const readLeavesOf = async (groups: readonly Group[]): Promise<readonly LeafRow[]> => {
    const ids = groups.map(({ id }) => id).sort((a, b) => a - b);
    return ids.length === 0 ? [] : index.readLeaves(ids[0] as number, ids.at(-1) as number);
  };
  const candidates = candidatesOf(inOrder(segments), offset);
  const [counted, leaves] = await Promise.all([Promise.all(inOrder(segments).map(count)), readLeavesOf(candidates)]);
  const total_count = counted.reduce((sum, { rows = 0 }) => sum + rows, 0);
  const start = locate(counted, offset);
  if (!start) return { rows: [], total_count };
  const { group } = counted[start.index] as Segment;
  const known = group && !candidates.includes(group) ? await readLeavesOf([group]) : leaves;
  const parts = inOrder((group ? leavesOf(group, known) : [counted[start.index] as Segment]) ?? []);
  if (parts.length === 0) return undefined;
  // The last part if rows were deleted after the group was read.
  const first = locate(parts, start.skip)?.index ?? parts.length - 1;
  const skip = parts.slice(0, first).reduce((rest, { rows = 0 }) => rest - rows, start.skip);
  const { from, before } = parts[first] as Segment;
  const rest = order === 'ascending' ? { from, before: range.before } : { from: range.from, before };
  const selection = { ...request, range: rest };
  const limit = Math.min(request.per_page, total_count - offset);
  // A read of a skipped row costs as much as a count. So only the skipped rows of a long tail are counted.
  if (skip <= MAX_SKIPPED) {
    const { rows } = await reader.readRows(selection, undefined, skip + limit);
    return { rows: rows.slice(skip), total_count };
  }
  const { last, isAtEnd } = await reader.countRows(selection, undefined, skip, { until: progress.until });
  return { rows: isAtEnd ? [] : (await reader.readRows(selection, last, limit)).rows, total_count };
};

/** A part of a requested range of ids: a group, a leaf, a part of a leaf, or the tail. */
export interface Segment extends IdRange {
  /** The number of existing rows in the segment; undefined until they are counted. */
  readonly rows: number | undefined;
  /** The assumed maximum of rows in an uncounted segment. It decides which leaves are read in advance. */
  readonly expected: number;
  /** Present when the segment is a whole group. */
  readonly group?: Group;
}

/** The assumed maximum of the rows in a part of the tail. With more rows, a page can take one more round trip. */
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
    for (const part of parts) for (const segment of cut(part, range)) segments.push(segment);
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
  const rowsPerId = full.reduce((most, { id, end, rows }) => Math.max(most, rows / (end + 1 - id)), 0);
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
const leavesOf = ({ id, end }: Group, read: readonly LeafRow[]): Segment[] | undefined => {
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
interface RowPosition {
  readonly index: number;
  readonly skip: number;
}

/** @param segments in the order of the page */
const locate = (
  segments: readonly Segment[],
  offset: number,
  rowsOf: (segment: Segment) => number = ({ rows }) => rows ?? 0,
): RowPosition | undefined => {
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
