/** A cursor page. While other clients insert and delete rows, a row that exists all the time is returned once. */
export interface CursorPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** An offset page. When rows are inserted or deleted between two requests, a row can be repeated or skipped. */
export interface OffsetPage<Row> {
  readonly data: readonly Row[];
  readonly page: number;
  readonly per_page: number;
  readonly total_count: number;
}

/**
 * A list that sends no request before it is read. `for await (const row of listing)` reads all rows, and `await
 * listing` the first page, or the page that the query names.
 */
export interface Listing<Row, Page> extends AsyncIterable<Row>, PromiseLike<Page> {
  pages(): AsyncIterable<Page>;
}

/** @param fetchPage requests the first page, or the page that the query names */
export const createListing = <Row, Page extends AnyPage<Row>>(
  fetchPage: (more?: object) => Promise<Page>,
): Listing<Row, Page> => {
  const pages = async function* () {
    for (let more: object | undefined = {}; more; ) {
      const page: Page = await fetchPage(more);
      yield page;
      more = nextQuery(page);
    }
  };
  const rows = async function* () {
    for await (const { data } of pages()) yield* data;
  };
  return {
    pages,
    [Symbol.asyncIterator]: rows,
    // biome-ignore lint/suspicious/noThenProperty: a listing can be awaited.
    then: (onPage, onError) => fetchPage().then(onPage, onError),
  };
};

type AnyPage<Row> = CursorPage<Row> | OffsetPage<Row>;

/** The query of the next page; undefined after the last page. */
const nextQuery = (page: AnyPage<unknown>): object | undefined => {
  // The last page of the events has a cursor, too.
  if ('next_cursor' in page) return page.has_more ? { after: page.next_cursor } : undefined;
  return page.page * page.per_page < page.total_count ? { page: page.page + 1 } : undefined;
};
