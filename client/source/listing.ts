import type { CallOptions } from './attempt.ts';
import type { Send } from './transport.ts';

/** A page by cursor: rows that exist throughout a walk are met exactly once, whatever comes and goes. */
export interface CursorPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** A page by number: rows that come and go meanwhile can make a walk meet others twice or not at all. */
export interface OffsetPage<Row> {
  readonly data: readonly Row[];
  readonly page: number;
  readonly per_page: number;
  readonly total_count: number;
}

/** A list, of which nothing is asked for before it is looked at: `for await (const row of listing)`. */
export interface Listing<Row, Page> extends AsyncIterable<Row> {
  /** Page by page. */
  pages(): AsyncIterable<Page>;
  /** The first page, or the one that the query names. */
  page(): Promise<Page>;
}

type AnyPage<Row> = CursorPage<Row> | OffsetPage<Row>;

/** What to ask for the page after one; nothing after the last. */
const nextOf = (page: AnyPage<unknown>): object | undefined => {
  if ('next_cursor' in page) return page.next_cursor === null ? undefined : { after: page.next_cursor };
  return page.page * page.per_page < page.total_count ? { page: page.page + 1 } : undefined;
};

/** Walks a collection, whichever of the two styles its query asks for. */
export const listing = <Row, Page extends AnyPage<Row>>(
  send: Send,
  path: string,
  query: object = {},
  options?: CallOptions,
): Listing<Row, Page> => {
  const ask = async (more?: object): Promise<Page> =>
    (await send<Page>({ method: 'GET', path, query: { ...query, ...more } }, options)).data;
  const pages = async function* () {
    for (let more: object | undefined = {}; more; ) {
      const page: Page = await ask(more);
      yield page;
      more = nextOf(page);
    }
  };
  const rows = async function* () {
    for await (const { data } of pages()) yield* data;
  };
  return { page: () => ask(), pages, [Symbol.asyncIterator]: rows };
};
