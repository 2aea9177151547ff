import type { FeedHead } from '#shared/platform/data/outbox.ts';
import type { CursorRequest, IdRange, Page, PageRequest, RequestedAttribute } from '#shared/platform/data/page.ts';
import type { Store } from '#shared/platform/data/store.ts';
import type { EventRow } from './event.ts';

export type Events = Pick<Store<EventRow>, 'list'>;

export type CursorPage = Extract<Page<EventRow>, { has_more: boolean }>;

/** A page that was read, and whether it contains every event up to the head that belongs to it. */
export interface FeedPart<P> {
  readonly page: P;
  isComplete(head: FeedHead): boolean;
}

export const hasSelection = ({ filter, range }: PageRequest): boolean =>
  Object.keys(filter).length > 0 || range !== undefined;

/** Every id. */
export const ALL: IdRange = { from: 0, before: Number.MAX_SAFE_INTEGER + 1 };

/**
 * Reads consecutive events. A query can see an event before the one that precedes it, because it reads each item of a
 * transaction on its own. A cursor after such an event would skip the other one. Sequences have no gaps, so a page is
 * complete if its sequences continue that of the event before the page (`neighbor`) without a gap.
 */
export const readPart = async (request: CursorRequest, events: Events): Promise<FeedPart<CursorPage>> => {
  const [page, neighbor] = await Promise.all([
    events.list(request) as Promise<CursorPage>,
    findNeighbor(request, events),
  ]);
  return { page, isComplete: (head) => isComplete(page, neighbor, request, head) };
};

/** The sequence of the event before the page in its order: 0 before the first event, undefined after the last one. */
const findNeighbor = async ({ order, after, range }: CursorRequest, events: Events): Promise<number | undefined> => {
  const { from, before } = range ?? ALL;
  const isAscending = order === 'ascending';
  const beyond = isAscending
    ? { from: 0, before: Math.max(from, (after ?? -1) + 1) }
    : { from: Math.min(before, after ?? ALL.before), before: ALL.before };
  const { rows } = await events.list({
    style: 'cursor',
    order: isAscending ? 'descending' : 'ascending',
    range: beyond,
    filter: {},
    limit: 1,
    after: undefined,
    attributes: ['sequence' as RequestedAttribute],
  });
  const [row] = rows as readonly EventRow[];
  return row?.sequence ?? (isAscending ? 0 : undefined);
};

const isComplete = (
  { rows, has_more }: CursorPage,
  neighbor: number | undefined,
  { order, range }: CursorRequest,
  head: FeedHead,
): boolean => {
  const step = order === 'ascending' ? 1 : -1;
  const sequences = [...(neighbor === undefined ? [] : [neighbor]), ...rows.map(({ sequence }) => sequence)];
  if (sequences.some((sequence, i) => i > 0 && sequence !== (sequences[i - 1] as number) + step)) return false;
  const isAtHead = order === 'ascending' ? !has_more : neighbor === undefined;
  if (isAtHead && contains(range, head) && Math.max(0, ...sequences) < head.sequence) return false;
  const isAtStart = order === 'descending' && !has_more && range === undefined;
  return !isAtStart || head.sequence === 0 || sequences.at(-1) === 1;
};

const contains = ({ from, before }: IdRange = ALL, { last_id }: FeedHead): boolean =>
  from <= last_id && last_id < before;
