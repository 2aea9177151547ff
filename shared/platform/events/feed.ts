import type { FeedHead, Outbox } from '#shared/platform/data/outbox.ts';
import type { CursorRequest, Page, PageRequest, RequestedAttribute } from '#shared/platform/data/page.ts';
import type { Store } from '#shared/platform/data/store.ts';
import type { EventRow } from './event.ts';

type Events = Pick<Store<EventRow>, 'insert' | 'list'>;

/**
 * Reads a page of the feed that contains every event of a commit that was complete when the read began (CONTRACT §14).
 * It reads the page and the outbox at the same time. If the outbox has waiting rows, or the page may be older than the
 * outbox's head, it reads the page again.
 */
export const readFeed = async (
  request: PageRequest,
  outbox: Pick<Outbox, 'publish'>,
  events: Events,
): Promise<Page<EventRow>> => {
  const attributes = request.attributes && [...request.attributes, 'sequence' as RequestedAttribute];
  const list = () => events.list({ ...request, attributes }) as Promise<Page<EventRow>>;
  const [{ head, published }, early] = await Promise.all([outbox.publish(events), list()]);
  const page = published === 0 && isCurrent(early, request, head) ? early : await list();
  if (request.style === 'offset') return page;
  return { ...page, position: head.sequence === 0 ? undefined : positionAfter(page, request) };
};

/** Whether a page certainly contains the events up to the head that belong to it. */
const isCurrent = (page: Page<EventRow>, request: PageRequest, head: FeedHead): boolean => {
  if (head.sequence === 0) return true;
  if (Object.keys(request.filter).length > 0 || request.range) return false;
  if ('total_count' in page) return page.total_count >= head.sequence;
  if (request.order === 'ascending' && (page.has_more || isAfter(head, request))) return true;
  return page.rows.some(({ sequence }) => sequence >= head.sequence);
};

const isAfter = ({ last_id }: FeedHead, request: PageRequest): boolean =>
  request.style === 'cursor' && request.after !== undefined && request.after >= last_id;

/** A reader of the end of the feed continues there; before the first event, at the beginning. */
const positionAfter = ({ rows }: Page<EventRow>, request: PageRequest): number =>
  rows.at(-1)?.id ?? (request as CursorRequest).after ?? 0;
