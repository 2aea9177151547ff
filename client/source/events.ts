import type { CallOptions } from './attempt.ts';
import { InvoicingError } from './error.ts';
import type { CursorPage } from './listing.ts';
import { delayOf, isTemporary, pause } from './retry.ts';
import type { Row, Shape } from './shapes.ts';
import type { Transport } from './transport.ts';

/** A position in the feed, to store as JSON. */
export interface Position {
  /** The cursor of a page. */
  readonly after?: string | undefined;
  /** The `sequence` of the last event that was read; the feed continues after it. */
  readonly sequence?: number | undefined;
}

export type FollowQuery<S extends Shape> = S['filter'] &
  Position & {
    readonly expand?: readonly S['expand'][] | undefined;
    /** The page size: 1 to 100, default 100. */
    readonly limit?: number | undefined;
  };

/** Events in the order of the feed, without end. */
export interface Feed<Event> extends AsyncIterable<Event> {
  /** After the last event that the loop has received. */
  readonly position: Position;
}

export interface EventFeed<S extends Shape> {
  /**
   * Reads all events from a position on, each once, and then waits for new ones. It ends when the loop ends, when the
   * signal aborts, or with an error that a retry cannot fix, such as a missing scope.
   */
  follow<const Q extends FollowQuery<S>>(query?: Q, options?: CallOptions): Feed<Row<S, Q>>;
}

export const eventFeed = <S extends Shape>({ send }: Transport): EventFeed<S> => ({
  follow<const Q extends FollowQuery<S>>(query?: Q, options: CallOptions = {}): Feed<Row<S, Q>> {
    type Page = CursorPage<Row<S, Q> & Sequenced>;
    const { sequence = 0, after, ...others } = { ...query } as Q;
    let position: Position = { after, sequence };
    const fetchPage = async (): Promise<Page | InvoicingError> => {
      try {
        const request = { method: 'GET', path: PATH, query: { limit: LIMIT, ...others, after: position.after } };
        return (await send<Page>(request, options)).data;
      } catch (error) {
        if (error instanceof InvoicingError && isTemporary(error)) return error;
        throw error;
      }
    };
    const events = async function* () {
      for (let waits = 0; ; ) {
        const page = await fetchPage();
        if (page instanceof InvoicingError || page.data.length === 0) {
          waits += 1;
          await pause(delayOf(waits, page instanceof InvoicingError ? page.retryAfter : MIN_POLL_MS), options.signal);
          continue;
        }
        waits = 0;
        for (const event of page.data) {
          if (event.sequence <= (position.sequence ?? 0)) continue;
          position = { ...position, sequence: event.sequence };
          yield event;
        }
        position = { ...position, after: page.next_cursor ?? position.after };
      }
    };
    return {
      get position() {
        return position;
      },
      [Symbol.asyncIterator]: events,
    };
  },
});

interface Sequenced {
  readonly sequence: number;
}

const PATH = '/events';
const LIMIT = 100;
/** The shortest time between two requests without new events, to which {@link delayOf} adds up to ten seconds. */
const MIN_POLL_MS = 200;
