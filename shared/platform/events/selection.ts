import { firstIdAt } from '#shared/platform/id.ts';
import { type CursorRequest, matches } from '#shared/platform/store/page.ts';
import { ALL, type CursorPage, type EventReader, type FeedPart, readPart } from './feed-part.ts';
import { VISIBLE_AFTER_MS } from './margins.ts';

/** DynamoDB's limit for a query's `Limit`, less the row that shows whether there are more. */
const NO_LIMIT = 2 ** 31 - 2;

/**
 * Reads a page of the events that match a filter. An index may contain an event without its predecessor, and a cursor
 * would then skip the predecessor. So it reads older events from the index, and newer events from the table. Events
 * never change, so a filter in code has the same result.
 */
export const readSelection = async (request: CursorRequest, events: EventReader): Promise<FeedPart<CursorPage>> => {
  const { filter, limit, order } = request;
  const { from, before } = request.range ?? ALL;
  const horizon = firstIdAt(Date.now() - VISIBLE_AFTER_MS);
  const fromIndex = { ...request, range: { from, before: Math.min(before, horizon) } };
  const fromTable = { ...request, filter: {}, limit: NO_LIMIT, range: { from: Math.max(from, horizon), before } };
  const [older, recent] = await Promise.all([
    events.list(fromIndex) as Promise<CursorPage>,
    readPart(fromTable, events),
  ]);
  const newer = recent.page.rows.filter((row) => matches(row, filter));
  const rows = order === 'ascending' ? [...older.rows, ...newer] : [...newer, ...older.rows];
  const page = { rows: rows.slice(0, limit), has_more: older.has_more || rows.length > limit };
  const needsRecent = order === 'descending' || !older.has_more;
  return { page, isComplete: (head) => !needsRecent || recent.isComplete(head) };
};
