import type { Page, PageRequest } from '#shared/platform/store/page.ts';
import type { EventRow } from './event.ts';
import { readUntilVisible } from './read-until.ts';

interface Events {
  list(request: PageRequest<never>): Promise<Page<object>>;
}

/**
 * The next events after an event, and whether more follow. DynamoDB may show a transaction of the sequencer only in
 * part.
 */
export const readNext = (
  events: Events,
  last: Pick<EventRow, 'id' | 'sequence'>,
): Promise<{ readonly events: readonly EventRow[]; readonly hasMoreEvents: boolean }> =>
  readUntilVisible(async () => {
    const request = { style: 'cursor', order: 'ascending', limit: 100, filter: {}, after: last.id } as const;
    const page = await events.list(request);
    const rows = page.rows as readonly EventRow[];
    const gap = rows.findIndex(({ sequence }, i) => sequence !== last.sequence + 1 + i);
    if (gap === 0) return undefined;
    if (gap > 0) return { events: rows.slice(0, gap), hasMoreEvents: true };
    return { events: rows, hasMoreEvents: 'has_more' in page && page.has_more };
  });
