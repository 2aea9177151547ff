import type { CursorRequest, Page } from '#shared/platform/store/page.ts';
import type { EventRow } from './event.ts';

interface SequenceReader {
  list(request: CursorRequest<'sequence'>): Promise<Page<Pick<EventRow, 'id' | 'sequence'>>>;
}

/**
 * Finds the event of a feed with a sequence, if it is readable. Ids ascend with sequences, so a binary search over ids
 * takes at most 53 reads of an event, also in a feed without a page index.
 * @param last an id that the event's id does not exceed
 */
export const findBySequence = async (
  events: SequenceReader,
  sequence: number,
  last: number,
): Promise<Pick<EventRow, 'id' | 'sequence'> | undefined> => {
  const request = { style: 'cursor', limit: 1, order: 'ascending', filter: {}, attributes: ['sequence'] } as const;
  let [after, upTo] = [0, last];
  while (after < upTo) {
    const middle = after + Math.floor((upTo - after) / 2);
    const { rows } = await events.list({ ...request, after: middle });
    const [next] = rows;
    if (next?.sequence === sequence) return next;
    if (next && next.sequence < sequence) after = next.id;
    else upTo = middle;
  }
  return undefined;
};
