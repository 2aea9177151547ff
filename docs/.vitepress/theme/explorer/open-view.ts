import { reactive } from 'vue';
import { createClient, type EventV1, InvoicingError } from '#client/source/index.ts';
import type { Part, Row, View } from './part.ts';

/** A part of the view on the screen, with what it has read. */
export interface OpenPart {
  readonly part: Part;
  rows: readonly Row[];
  next: string | undefined;
  isRead: boolean;
  failure: Failure | undefined;
  /** The URLs of the last requests. */
  requests: readonly string[];
}

export interface Failure {
  readonly title: string;
  readonly detail: string;
}

export const toFailure = (error: unknown): Failure => {
  if (error instanceof InvoicingError && error.problem) return error.problem;
  return { title: 'The request failed.', detail: (error as Error).message };
};

export const isRefused = (error: unknown): boolean => error instanceof InvoicingError && error.status === 401;

/** How long an event waits for further events. A list with a filter can lag by milliseconds. */
const SETTLE_MS = 300;

export const openView = (view: View, token: string, refuse: () => void) => {
  const parts = view.parts.map((part): OpenPart => {
    return reactive({ part, rows: [], next: undefined, isRead: false, failure: undefined, requests: [] });
  });
  const rowsOf = (heading: string) => parts.find(({ part }) => part.heading === heading)?.rows ?? [];

  const read = async (open: OpenPart, isMore: boolean): Promise<void> => {
    const requests: string[] = [];
    const observed: typeof fetch = (url, init) => {
      requests.push(String(url));
      return fetch(url, init);
    };
    const client = createClient({ baseUrl: location.origin, token, fetch: observed });
    // A reload reads as many pages as the reader has loaded.
    const wanted = open.rows.length + Number(isMore);
    let after = isMore ? open.next : undefined;
    let rows = isMore ? open.rows : [];
    try {
      do {
        const page = await open.part.read({ client, after, rows: rowsOf as never });
        rows = [...rows, ...page.data];
        after = page.next_cursor ?? undefined;
      } while (after !== undefined && rows.length < wanted);
      Object.assign(open, { rows, next: after, failure: undefined });
    } catch (error) {
      if (isRefused(error)) refuse();
      open.failure = toFailure(error);
    }
    Object.assign(open, { requests, isRead: true });
  };

  const readAll = async (): Promise<void> => {
    const reads = new Map<string, Promise<void>>();
    for (const open of parts) {
      const needed = (open.part.needs ?? []).map((heading) => reads.get(heading));
      reads.set(
        open.part.heading,
        Promise.all(needed).then(() => read(open, false)),
      );
    }
    await Promise.all(reads.values());
  };

  // One after the other, so that no read overwrites the rows of a later one.
  let queue = Promise.resolve();
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    queue = queue.then(work);
    return queue;
  };

  let timer: ReturnType<typeof setTimeout> | undefined;
  const reload = () => {
    timer = undefined;
    return enqueue(readAll);
  };
  const concerns = ({ resource_type: type, resource_id }: EventV1): boolean =>
    view.follows?.includes(type) ||
    parts.some(({ part, rows }) => part.type === type && rows.some(({ id }) => id === resource_id));
  return {
    parts,
    reload,
    more: (open: OpenPart) => enqueue(() => read(open, true)),
    again: (open: OpenPart) => enqueue(() => read(open, false)),
    notice: (event: EventV1) => {
      if (concerns(event)) timer ??= setTimeout(reload, SETTLE_MS);
    },
  };
};
