import { reactive } from 'vue';
import { type Client, createClient, type InvoicingError } from '#client/source/index.ts';
import type { Part, Row, View } from './view.ts';

/** A part on the screen, with what it has read. */
export interface OpenPart {
  readonly part: Part;
  readonly key: symbol;
  rows: readonly Row[];
  /** The cursor of the next page. Empty when the last one of several is read, so that its button keeps the focus. */
  next: string | undefined;
  isRead: boolean;
  failure: InvoicingError | undefined;
  /** The URLs of the last requests. */
  requests: readonly string[];
}

/** A client that adds the URL of each request to a list. */
export const connect = (token: string, requests: string[] = []): Client<'v1'> =>
  createClient({
    baseUrl: location.origin,
    token,
    fetch: (url, init) => {
      requests.push(String(url));
      return fetch(url, init);
    },
  });

export const toText = ({ status, problem, message }: InvoicingError): string => {
  if (status === 401)
    return 'The service refused this token: it has expired or is of another service. Reload the page, or use another.';
  if (status === 404) return 'The account has no resource with this ID.';
  return problem ? `${problem.title} ${problem.detail}` : `The request failed. ${message}`;
};

/** A view on the screen, with what it has read. */
export const openView = (view: View, token: string) => {
  const unread = { rows: [], requests: [], next: undefined, isRead: false, failure: undefined };
  const parts = view.parts.map((part): OpenPart => reactive({ part, key: Symbol(), ...unread }));
  const reads: Record<string, Promise<void>> = {};
  const rowsOf = async (heading: string) => {
    await reads[heading];
    return parts.find(({ part }) => part.heading === heading)?.rows ?? [];
  };

  const read = async (open: OpenPart, isMore: boolean): Promise<void> => {
    const requests: string[] = [];
    const client = connect(token, requests);
    // A reload reads as many pages as the reader has loaded.
    const wanted = open.rows.length + Number(isMore);
    let after = isMore ? open.next : undefined;
    let rows = isMore ? open.rows : [];
    try {
      do {
        const page = { sort: '-id', limit: 50, after } as const;
        const { data, next_cursor } = await open.part.read({ client, page, rows: rowsOf });
        rows = [...rows, ...(data as Row[])];
        after = next_cursor ?? undefined;
      } while (after !== undefined && rows.length < wanted);
      Object.assign(open, { rows, next: after ?? (open.next && ''), failure: undefined });
    } catch (failure) {
      Object.assign(open, { failure });
    }
    Object.assign(open, { requests, isRead: true });
  };
  const readAll = async (): Promise<void> => {
    for (const open of parts) reads[open.part.heading] = read(open, false);
    await Promise.all(Object.values(reads));
  };

  // One after the other, so that no read overwrites the rows of a later one.
  let queue = Promise.resolve();
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    queue = queue.then(work);
    return queue;
  };
  return { parts, reload: () => enqueue(readAll), more: (open: OpenPart) => enqueue(() => read(open, true)) };
};
