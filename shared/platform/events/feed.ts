import type { EventWriter, Outbox } from '#shared/platform/events/outbox.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type {
  CursorRequest,
  OffsetRequest,
  Page,
  PageRequest,
  RequestedAttribute,
} from '#shared/platform/store/page.ts';
import type { EventRow } from './event.ts';
import type { FeedHead } from './feed-head.ts';
import { ALL, type EventReader, type FeedPart, findNeighbors, lastSequence, readPart } from './feed-part.ts';
import { readUntilVisible } from './read-until.ts';
import { readSelection } from './selection.ts';

/**
 * Reads a page of the feed that contains every event of a commit that was complete when the read began, and no event
 * without all events before it (CONTRACT §14). It reads the page and the outbox at the same time, and reads the page
 * again while events are missing: the outbox had waiting rows, or DynamoDB shows a transaction only in part. A page that
 * ends before the end of the feed does not wait for a backlog.
 * @throws ProblemError `unavailable` if events stay missing
 */
export const readFeed = async (
  request: PageRequest,
  outbox: Pick<Outbox, 'publish'>,
  events: EventReader & EventWriter,
): Promise<Page<EventRow>> => {
  const attributes = request.attributes && ([...request.attributes, ...NECESSARY] as RequestedAttribute[]);
  if (request.style === 'offset' && isFiltered(request)) {
    const { isCaughtUp } = await outbox.publish(events);
    if (!isCaughtUp) throw tooManyChanges();
    return (await events.list({ ...request, attributes })) as Page<EventRow>;
  }
  const read = () => readOnce({ ...request, attributes }, events);
  let answer: Page<EventRow> | undefined;
  const readEarly = async () => {
    const early = await read();
    if (early.isComplete(LATER)) answer = early.page;
    return early;
  };
  const isNeeded = async () => {
    if (!answer && canEndEarly(request)) await readEarly();
    return !answer;
  };
  const [{ head, isCaughtUp }, early] = await Promise.all([outbox.publish(events, { isNeeded }), readEarly()]);
  const completePage = ({ page, isComplete }: FeedPart<Page<EventRow>>) =>
    isComplete(isCaughtUp ? head : LATER) ? page : undefined;
  const readLate = async () => {
    const page = completePage(await read());
    if (!page && !isCaughtUp) throw tooManyChanges();
    return page;
  };
  const page = answer ?? completePage(early) ?? (await readUntilVisible(readLate));
  if ('total_count' in page) return page;
  return { ...page, position: head.sequence === 0 ? undefined : positionAfter(page, request) };
};

/** A head after all other heads: a page that is complete with this head does not depend on waiting changes. */
const LATER: FeedHead = { sequence: Number.POSITIVE_INFINITY, last_id: Number.POSITIVE_INFINITY };

const tooManyChanges = () => new ProblemError('unavailable', { detail: 'Too many changes are waiting.' });

/** The attributes that the checks and the filters read. */
const NECESSARY: readonly (keyof EventRow)[] = ['sequence', 'type', 'resource_id'];

const readOnce = (request: CursorRequest | OffsetRequest, events: EventReader): Promise<FeedPart<Page<EventRow>>> => {
  if (request.style === 'offset') return readCounted(request, events);
  return isFiltered(request) ? readSelection(request, events) : readPart(request, events);
};

/** Whether the first transactions of a backlog can complete a page: other pages need the end of the feed. */
const canEndEarly = (request: PageRequest): boolean =>
  request.style === 'cursor' && request.order === 'ascending' && !isFiltered(request);

const isFiltered = ({ filter }: PageRequest): boolean => Object.keys(filter).length > 0;

/** Sequences have no gaps, so the sequences next to the bounds give the sequence of each row, and their number. */
const readCounted = async (request: OffsetRequest, events: EventReader): Promise<FeedPart<Page<EventRow>>> => {
  const { order, range = ALL } = request;
  const [page, neighbors] = await Promise.all([
    events.list(request) as Promise<Page<EventRow> & { readonly total_count: number }>,
    findNeighbors(range, events),
  ]);
  const { below } = neighbors;
  const skipped = (request.page - 1) * request.per_page;
  const sequenceAt = (i: number) => below + (order === 'ascending' ? skipped + 1 + i : page.total_count - skipped - i);
  const isContiguous = page.rows.every(({ sequence }, i) => sequence === sequenceAt(i));
  return { page, isComplete: (head) => isContiguous && page.total_count >= lastSequence(neighbors, head) - below };
};

/** The id after which a reader at the end of the feed continues; 0 in a feed without events. */
const positionAfter = ({ rows }: Page<EventRow>, request: PageRequest): number =>
  rows.at(-1)?.id ?? (request as CursorRequest).after ?? 0;
