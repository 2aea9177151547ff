import { backoff, MAX_READ_ATTEMPTS } from '#shared/platform/dynamodb/client.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Selection } from '#shared/platform/store/key-bounds.ts';
import type { IdRange, OffsetRequest, Page } from '#shared/platform/store/page.ts';
import type { CountProgress, PageReader } from '#shared/platform/store/page-reader.ts';
import { LEAF_ROWS, type LeafRow } from './leaves.ts';
import type { PageIndex } from './page-index.ts';
import { mustAsk } from './seal-request.ts';
import { candidatesOf, leavesOf, locate, type Segment, segmentsOf } from './segments.ts';

/** Limit of the skipped rows that are read with a page. */
const MAX_SKIPPED = 512;

const ALL: IdRange = { from: 0, before: Number.MAX_SAFE_INTEGER };

type Reader<T extends Entity> = Pick<PageReader<T>, 'countRows' | 'readRows' | 'readCountedPage'>;

interface Access<T extends Entity> {
  readonly index: PageIndex;
  readonly reader: Reader<T>;
  readonly progress: CountProgress;
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
export const readIndexedPage = async <T extends Entity>(
  request: OffsetRequest<string>,
  index: PageIndex,
  reader: Reader<T>,
  until: number,
): Promise<Page<T>> => {
  for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
    const page = await readOnce(request, index, reader, until);
    if (page) return page;
    await backoff(attempt);
  }
  throw new ProblemError('unavailable', { detail: 'The page index kept changing.' });
};

/** @returns undefined when parts of the index were read from different states */
const readOnce = async <T extends Entity>(
  request: OffsetRequest<string>,
  index: PageIndex,
  reader: Reader<T>,
  until: number,
): Promise<Page<T> | undefined> => {
  const range = request.range ?? ALL;
  const [{ groups, request: sealRequest }, leaves] = await Promise.all([
    index.readGroups(),
    readDividedLeaves(range, index),
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
    const segments = segmentsOf(groups, leaves, range, Date.now());
    return segments && (await readSegments(request, segments, { index, reader, progress }));
  } finally {
    // Lambda stops the process after the response.
    await requested;
  }
};

const readDividedLeaves = async ({ from, before }: IdRange, index: PageIndex): Promise<LeafRow[]> => {
  const bounds = [from, before].filter((id) => id > ALL.from && id < ALL.before);
  return (await Promise.all(bounds.map((id) => index.findLeaves(id)))).filter((leaves) => leaves !== undefined);
};

const readSegments = async <T extends Entity>(
  request: OffsetRequest<string>,
  segments: readonly Segment[],
  access: Access<T>,
): Promise<Page<T> | undefined> => {
  const offset = (request.page - 1) * request.per_page;
  const inOrder = <S>(list: readonly S[]) => (request.order === 'ascending' ? list : list.toReversed());
  const candidates = candidatesOf(inOrder(segments), offset);
  const [counted, leaves] = await Promise.all([
    Promise.all(inOrder(segments).map((segment) => count(request, segment, access))),
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
  const selection = { ...request, range: fromSegment(request, segment) };
  return { rows: await readAfter(selection, skip, limit, access), total_count };
};

const count = async <T extends Entity>(
  request: OffsetRequest<string>,
  segment: Segment,
  { reader, progress }: Access<T>,
): Promise<Segment> => {
  if (segment.rows !== undefined) return segment;
  const selection = { ...request, range: segment };
  const { count: rows } = await reader.countRows(selection, undefined, Number.POSITIVE_INFINITY, progress);
  return { ...segment, rows };
};

/** To read a row that is skipped costs as much as to count it. Only the skipped rows of a long tail are counted. */
const readAfter = async <T extends Entity>(
  selection: Selection,
  skip: number,
  limit: number,
  { reader, progress: { until } }: Access<T>,
): Promise<readonly T[]> => {
  if (skip <= MAX_SKIPPED) return (await reader.readRows(selection, undefined, skip + limit)).rows.slice(skip);
  const { last, isAtEnd } = await reader.countRows(selection, undefined, skip, { until });
  return isAtEnd ? [] : (await reader.readRows(selection, last, limit)).rows;
};

/** The leaves of consecutive groups. */
const readCandidates = async <T extends Entity>(ids: readonly number[], { index }: Access<T>): Promise<LeafRow[]> =>
  ids.length === 0 ? [] : index.readLeaves(Math.min(...ids), Math.max(...ids));

/** The part that contains the row at an offset; the last part if rows were deleted after the group was read. */
const within = (parts: readonly Segment[], offset: number): { segment: Segment; skip: number } => {
  const index = locate(parts, offset)?.index ?? parts.length - 1;
  const preceding = parts.slice(0, index).reduce((sum, { rows = 0 }) => sum + rows, 0);
  return { segment: parts[index] as Segment, skip: offset - preceding };
};

/** The requested range from the beginning of a segment on, in the order of the request. */
const fromSegment = ({ range = ALL, order }: OffsetRequest<string>, segment: Segment): IdRange =>
  order === 'ascending' ? { from: segment.from, before: range.before } : { from: range.from, before: segment.before };
