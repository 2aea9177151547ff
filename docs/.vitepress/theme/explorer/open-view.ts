import { reactive } from 'vue';
import type { EventV1, InvoicingError } from '#client/source/index.ts';
import { connect } from './connection.ts';
import type { Part, Row, View } from './view.ts';

/** A part on the screen, with what it has read. */
export interface OpenPart {
  readonly part: Part;
  rows: readonly Row[];
  /** The cursor of the next page. */
  next: string | undefined;
  isRead: boolean;
  failure: string;
  /** The URLs of the last requests. */
  requests: readonly string[];
}

export const toFailure = (error: unknown): string => {
  const { problem, message } = error as InvoicingError;
  return problem ? `${problem.title} ${problem.detail}` : `The request failed. ${message}`;
};

const LIMIT = 50;

/** How long an event waits for further events, so that a busy account's explorer uses little of the account's budget. */
const SETTLE_MS = 1000;

export const openView = (view: View, token: string) => {
  const closed = { next: undefined, isRead: false, failure: '' };
  const parts = view.parts.map((part): OpenPart => reactive({ part, rows: [], requests: [], ...closed }));
  const reads: Record<string, Promise<void>> = {};
  const rowsOf = async (heading: string) => {
    await reads[heading];
    return parts.find(({ part }) => part.heading === heading)?.rows ?? [];
  };

  const read = async (open: OpenPart, isMore: boolean): Promise<void> => {
    const requests: string[] = [];
    const client = connect(token, (url) => requests.push(url));
    // A reload reads as many pages as the reader has loaded.
    const wanted = open.rows.length + Number(isMore);
    let after = isMore ? open.next : undefined;
    let rows = isMore ? open.rows : [];
    try {
      do {
        const page = { sort: '-id', limit: LIMIT, after } as const;
        const { data, next_cursor } = await open.part.read({ client, page, rows: rowsOf });
        rows = [...rows, ...(data as Row[])];
        after = next_cursor ?? undefined;
      } while (after !== undefined && rows.length < wanted);
      Object.assign(open, { rows, next: after, failure: '' });
    } catch (error) {
      open.failure = toFailure(error);
    }
    Object.assign(open, { requests, isRead: true });
  };

  const readAll = async (): Promise<void> => {
    for (const open of parts) reads[open.part.heading] = read(open, false);
    await Promise.all(Object.values(reads));
  };

  // One after the other, so that no read overwrites the rows of a later one.
  let queue = Promise.resolve();
  const enqueue = (work: () => Promise<void>): void => {
    queue = queue.then(work);
  };
  let isWaiting = false;
  const reload = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    enqueue(() => {
      isWaiting = false;
      return readAll();
    });
  };
  const concerns = ({ resource_type: type, resource_id }: EventV1): boolean =>
    view.follows?.includes(type) ||
    parts.some(({ part, rows }) => part.type === type && rows.some(({ id }) => id === resource_id));
  let isNoticed = false;
  const notice = (event: EventV1): void => {
    if (isNoticed || !concerns(event)) return;
    isNoticed = true;
    setTimeout(() => {
      isNoticed = false;
      reload();
    }, SETTLE_MS);
  };
  return { parts, reload, notice, more: (open: OpenPart) => enqueue(() => read(open, true)) };
};
