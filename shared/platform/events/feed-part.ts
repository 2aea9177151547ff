import type { CursorRequest, IdRange, Page, RequestedAttribute } from '#shared/platform/store/page.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { EventRow } from './event.ts';
import type { FeedHead } from './feed-head.ts';

export type EventReader = Pick<Store<EventRow>, 'list'>;

export type CursorPage = Extract<Page<EventRow>, { has_more: boolean }>;

/** A page that was read, and whether it contains every event of the page up to the head. */
export interface FeedPart<P> {
  readonly page: P;
  isComplete(head: FeedHead): boolean;
}

export const ALL: IdRange = { from: 0, before: Number.MAX_SAFE_INTEGER };

/**
 * Reads consecutive events. A query can show an event without its predecessor, because it reads each item of a
 * transaction on its own. A cursor after that event would skip the predecessor. Sequences have no gaps, so a page is
 * complete if its sequences continue those of its neighbors.
 */
export const readPart = async (request: CursorRequest, events: EventReader): Promise<FeedPart<CursorPage>> => {
  const bounds = boundsOf(request);
  const [page, neighbors] = await Promise.all([
    events.list(request) as Promise<CursorPage>,
    findNeighbors(bounds, events),
  ]);
  // The neighbors of an empty range can be the same events, so their sequences prove nothing.
  const isEmpty = bounds.from >= bounds.before;
  return { page, isComplete: (head) => isEmpty || isComplete(page, neighbors, request, head) };
};

/** The ids that a request can select. */
const boundsOf = ({ order, after, range }: CursorRequest): IdRange => {
  const { from, before } = range ?? ALL;
  if (order === 'ascending') return { from: Math.max(from, (after ?? -1) + 1), before };
  return { from, before: Math.min(before, after ?? ALL.before) };
};

/** The sequences of the events around a range of ids. */
interface Neighbors {
  /** The sequence of the event with the next lower id; 0 before the first event. */
  readonly below: number;
  /** The sequence of the event with the next higher id; absent after the last event. */
  readonly above: number | undefined;
}

export const findNeighbors = async ({ from, before }: IdRange, events: EventReader): Promise<Neighbors> => {
  const [below = 0, above] = await Promise.all([
    findSequence({ from: 0, before: from }, 'descending', events),
    findSequence({ from: before, before: ALL.before }, 'ascending', events),
  ]);
  return { below, above };
};

/** The sequence of the last event below the upper end of a range. */
export const lastSequence = ({ above }: Neighbors, head: FeedHead): number =>
  above === undefined ? head.sequence : above - 1;

/** The sequence of the first event of a range in this order. An empty range needs no call. */
const findSequence = async (
  range: IdRange,
  order: CursorRequest['order'],
  events: EventReader,
): Promise<number | undefined> => {
  const attributes = ['sequence' as RequestedAttribute];
  const request = { style: 'cursor', filter: {}, limit: 1, after: undefined, range, order, attributes } as const;
  const [row] = (await events.list(request)).rows as readonly EventRow[];
  return row?.sequence;
};

/** The page must reach each end of the range, unless there are more rows in that direction. */
const isComplete = (
  { rows, has_more }: CursorPage,
  neighbors: Neighbors,
  { order }: CursorRequest,
  head: FeedHead,
): boolean => {
  const read = rows.map(({ sequence }) => sequence);
  const sequences = order === 'ascending' ? read : read.toReversed();
  if (order === 'ascending' || !has_more) sequences.unshift(neighbors.below);
  const isContiguous = sequences.every((sequence, i) => i === 0 || sequence === (sequences[i - 1] as number) + 1);
  const endsBefore = order === 'ascending' && has_more;
  return isContiguous && (endsBefore || (sequences.at(-1) ?? 0) >= lastSequence(neighbors, head));
};
