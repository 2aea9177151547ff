import { LEAF_ROWS, type LeafRow } from '#shared/platform/pages/leaves.ts';
import { candidatesOf, leavesOf, locate, type Segment, segmentsOf } from '#shared/platform/pages/segments.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { backoff, MAX_READ_ATTEMPTS } from './client.ts';
import type { IdRange, OffsetRequest, Page } from './page.ts';
import type { PageIndex } from './page-index.ts';

/** Every id. */
const ALL: IdRange = { from: 0, before: Number.MAX_SAFE_INTEGER };

/** The reads of the members that a page by number needs. */
export interface PageReads<T> {
  /** Counts the rows of a range of ids. `onCount` gets the number so far, after each query. */
  count(range: IdRange, onCount: (count: number) => void): Promise<number>;
  /** Reads up to `limit` rows of a range after the first `skip`, in the order of the request. */
  read(range: IdRange, skip: number, limit: number): Promise<readonly T[]>;
  /** Reads the page without an index. */
  readCounted(onCount: (count: number) => void): Promise<Page<T>>;
}

interface Access<T> extends PageReads<T> {
  readonly index: PageIndex;
  readonly onCount: (count: number) => void;
}

/**
 * Reads a page by number with a page index, in three sequential round trips (CONTRACT §5):
 *
 * 1. the groups, and the leaves that the bounds of the range divide;
 * 2. the number of rows in the tail and in the divided leaves, and the leaves of the group in which the page begins;
 * 3. the rows, from the beginning of a leaf.
 *
 * The reads are not a snapshot: `total_count` differs from the number of rows at the end by at most the rows that are
 * inserted and deleted meanwhile (docs/decisions/0046-a-page-index-counts-sealed-rows.md).
 */
export const readIndexedPage = async <T>(
  request: OffsetRequest<string>,
  index: PageIndex,
  reads: PageReads<T>,
): Promise<Page<T>> => {
  for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
    const page = await readOnce(request, index, reads);
    if (page) return page;
    await backoff(attempt);
  }
  throw new ProblemError('unavailable', { detail: 'The page index kept changing.' });
};

/** @returns undefined when parts of the index were read from different states */
const readOnce = async <T>(
  request: OffsetRequest<string>,
  index: PageIndex,
  reads: PageReads<T>,
): Promise<Page<T> | undefined> => {
  const range = request.range ?? ALL;
  const [{ groups, isRequested }, leaves] = await Promise.all([index.readGroups(), readDividedLeaves(range, index)]);
  let requested: Promise<void> | undefined;
  const onCount = (count: number) => {
    // A later reader repeats a request that fails.
    if (count > LEAF_ROWS && !isRequested) requested ??= index.request().catch(() => {});
  };
  try {
    if (!groups.at(-1)?.end) return await reads.readCounted(onCount);
    const segments = segmentsOf(groups, leaves, range);
    return segments && (await readSegments(request, segments, { ...reads, index, onCount }));
  } finally {
    // Lambda stops the process after the response.
    await requested;
  }
};

const readDividedLeaves = async ({ from, before }: IdRange, index: PageIndex): Promise<LeafRow[]> => {
  const bounds = [from, before].filter((id) => id > ALL.from && id < ALL.before);
  return (await Promise.all(bounds.map((id) => index.findLeaves(id)))).filter((leaves) => leaves !== undefined);
};

const readSegments = async <T>(
  request: OffsetRequest<string>,
  segments: readonly Segment[],
  access: Access<T>,
): Promise<Page<T> | undefined> => {
  const offset = (request.page - 1) * request.per_page;
  const inOrder = <S>(list: readonly S[]) => (request.order === 'ascending' ? list : list.toReversed());
  const candidates = candidatesOf(inOrder(segments), offset);
  const [counted, leaves] = await Promise.all([
    Promise.all(inOrder(segments).map((segment) => count(segment, access))),
    readCandidates(
      candidates.map(({ id }) => id),
      access,
    ),
  ]);
  const total_count = counted.reduce((sum, { rows = 0 }) => sum + rows, 0);
  const start = locate(counted, offset);
  if (!start) return { rows: [], total_count };
  const { group } = counted[start.index] as Segment;
  const known = group && !candidates.includes(group) ? await readCandidates([group.id], access) : leaves;
  const parts = group ? leavesOf(group, known) : [counted[start.index] as Segment];
  if (!parts) return undefined;
  const { segment, skip } = within(inOrder(parts), start.skip);
  const limit = Math.min(request.per_page, total_count - offset);
  return { rows: await access.read(fromSegment(request, segment), skip, limit), total_count };
};

const count = async <T>(segment: Segment, { count, onCount }: Access<T>): Promise<Segment> =>
  segment.rows === undefined ? { ...segment, rows: await count(segment, onCount) } : segment;

/** The leaves of consecutive groups. */
const readCandidates = async <T>(ids: readonly number[], { index }: Access<T>): Promise<LeafRow[]> =>
  ids.length === 0 ? [] : index.readLeaves(Math.min(...ids), Math.max(...ids));

/** The part with a row; when rows were deleted since the group was read, the last part. */
const within = (parts: readonly Segment[], offset: number): { segment: Segment; skip: number } => {
  const index = locate(parts, offset)?.index ?? parts.length - 1;
  const preceding = parts.slice(0, index).reduce((sum, { rows = 0 }) => sum + rows, 0);
  return { segment: parts[index] as Segment, skip: offset - preceding };
};

/** The requested range from the beginning of a segment on, in the order of the request. */
const fromSegment = ({ range = ALL, order }: OffsetRequest<string>, segment: Segment): IdRange =>
  order === 'ascending' ? { from: segment.from, before: range.before } : { from: range.from, before: segment.before };
