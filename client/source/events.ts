import type { CallOptions } from './attempt.ts';
import { InvoicingError } from './error.ts';
import type { CursorPage } from './listing.ts';
import { OPERATIONS } from './operations.ts';
import { delayOf, isTemporary, pause } from './retry.ts';
import type { Row, Shape } from './shapes.ts';
import type { Send, Transport } from './transport.ts';

/** A position in the feed, to store as JSON. */
export interface Position {
  /** The cursor of a page. */
  readonly after?: string | undefined;
  /** The `sequence` of the last event that was read; the feed continues after it. */
  readonly sequence?: number | undefined;
  /** With `sequence`: the service does not read the events before this time. */
  readonly created_from?: string | undefined;
  /** Starts at the end of the feed, which `follow` requests at once. This option excludes the other options. */
  readonly from?: 'now' | undefined;
}

export type FollowQuery<S extends Shape> = S['filter'] &
  Position & {
    readonly expand?: readonly (keyof S['expand'])[] | undefined;
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
   * Reads all events from a position on, each event once, and then waits for new events. It ends when the loop ends,
   * when the signal aborts, or with a problem of the service that names a mistake of the request, such as a missing
   * scope. After any other error, also after the page of a proxy, it continues.
   */
  follow<const Q extends FollowQuery<S>>(query?: Q, options?: CallOptions): Feed<Row<S, Q>>;
}

export const eventFeed = <S extends Shape>({ send }: Transport): EventFeed<S> => ({
  follow<const Q extends FollowQuery<S>>(query?: Q, options: CallOptions = {}): Feed<Row<S, Q>> {
    const { from, sequence = 0, after, created_from, ...others } = { ...query } as Q;
    let position: Position = from ? { from } : { after, sequence, created_from };
    const read = pageReader<Row<S, Q> & Placed>(send, options);
    const findEnd = from && endFinder(read);
    const fetchPage = async () => {
      if (findEnd && position.from) {
        const end = await findEnd();
        if (end instanceof InvoicingError) return end;
        position = end;
      }
      return read({ limit: LIMIT, ...others, ...position, sequence: undefined });
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

/** Reads a page; returns an error if a later request can succeed. */
type ReadPage<Event> = (query: object) => Promise<CursorPage<Event> | InvoicingError>;

const pageReader =
  <Event>(send: Send, options: CallOptions): ReadPage<Event> =>
  async (query) => {
    try {
      return (await send<CursorPage<Event>>({ ...REQUEST, query }, options)).data;
    } catch (error) {
      if (error instanceof InvoicingError && isTemporary(error)) return error;
      throw error;
    }
  };

/**
 * Asks for the end of the feed at once. The cursor of a descending page does not fit an ascending page. The time of the
 * last event does: it is a bound of the ids, so the service skips earlier events without reading them.
 */
const endFinder = (read: ReadPage<Placed>): (() => Promise<Position | InvoicingError>) => {
  let newest: ReturnType<typeof read> | undefined = read(NEWEST);
  // The loop throws the error. Without a loop, it must not end the process.
  newest.catch(() => {});
  return async () => {
    const page = await (newest ?? read(NEWEST));
    newest = undefined;
    if (page instanceof InvoicingError) return page;
    const [last] = page.data;
    return { sequence: last?.sequence ?? 0, created_from: last?.created_at };
  };
};

interface Placed {
  readonly sequence: number;
  readonly created_at: string;
}

const REQUEST = { method: 'GET', path: '/events', status: OPERATIONS.events.statuses.list, property: 'data' } as const;
const LIMIT = 100;
const NEWEST = { sort: '-id', limit: 1, fields: 'sequence,created_at' };
/** The shortest time between two requests without new events, to which {@link delayOf} adds up to ten seconds. */
const MIN_POLL_MS = 200;
