import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Engine } from './engine.ts';
import { Expression } from './expression.ts';
import type { Filter } from './page.ts';
import { raw } from './raw.ts';
import type { TableName } from './tables.ts';

/** The rows of one account with ids in `from`…`before` − 1 and these values. */
export interface Range {
  readonly from: number;
  readonly before: number;
  readonly filter: Filter;
  /** The stored attributes to read, the id among them. */
  readonly attributes: readonly string[];
}

/** Some of a range's rows, and the id up to which it has been read. */
export interface Stretch<T> {
  readonly rows: readonly T[];
  readonly after: number;
}

/** What one query brings: up to 1 MB, before the filter. */
interface Page {
  readonly rows: readonly unknown[];
  readonly scanned: number;
  /** The last row that was looked at, where there may be more. */
  readonly last: number | undefined;
}

/** A part of the range that is read on its own. */
interface Window {
  readonly from: number;
  readonly to: number;
  page: Promise<Page>;
  scanned: number;
}

/** How many windows are read at a time: what a page weighs, times this, is what waits in memory. */
const AHEAD = 3;
/** How full of one page's rows a window should be: a little more would cost another round trip. */
const FULL = 0.8;
/** How much wider or narrower than the last one a window may become. */
const MOST_CHANGE = 8;

/** Asks for one page of the ids `from`…`to`. */
type Ask = (from: number, to: number) => Promise<Page>;

const asking = (
  { client, names }: Engine,
  table: TableName,
  account: string,
  { filter, attributes }: Pick<Range, 'filter' | 'attributes'>,
): Ask => {
  const clauses = Object.entries(filter).map(([attribute, value]) => [attribute, '=', value] as const);
  return (from, to) => {
    const expression = new Expression();
    const partition = `${expression.name('account_id')} = ${expression.value(account)}`;
    const ids = `${expression.name('id')} BETWEEN ${expression.value(from)} AND ${expression.value(to)}`;
    const command = new QueryCommand({
      TableName: names[table],
      KeyConditionExpression: `${partition} AND ${ids}`,
      ...(clauses.length > 0 && { FilterExpression: expression.condition({ match: 'all', clauses }) }),
      ProjectionExpression: expression.projection(attributes),
      ConsistentRead: true,
      ...expression.placeholders(),
    });
    const page = raw(client, command);
    // It may fail before anyone waits for it.
    page.catch(() => {});
    return page;
  };
};

/**
 * Reads a range in the order of its ids, with strong consistency. DynamoDB answers a query page after page, so a large
 * range is read in windows, several at a time, each about as wide as what the last ones have brought fills a page.
 */
export async function* rowsIn<T>(
  engine: Engine,
  table: TableName,
  account: string,
  { from, before, ...selection }: Range,
): AsyncGenerator<Stretch<T>> {
  if (from >= before) return;
  const ask = asking(engine, table, account, selection);
  const open = (first: number, to: number): Window => ({ from: first, to, page: ask(first, to), scanned: 0 });
  // A small range is one page, and then that is all.
  const windows = [open(from, before - 1)];
  let [next, width, full] = [before, 0, 0];
  for (let window = windows[0]; window; window = windows[0]) {
    const { rows, scanned, last } = await window.page;
    window.scanned += scanned;
    if (full === 0 && last !== undefined) {
      const first = (rows[0] as { id: number } | undefined)?.id ?? from;
      [next, width, full] = [last + 1, last - first + 1, scanned];
      windows.shift();
    } else if (last !== undefined) window.page = ask(last + 1, window.to);
    else {
      const change = (FULL * full) / Math.max(window.scanned, 1);
      width = (window.to - window.from + 1) * Math.min(Math.max(change, 1 / MOST_CHANGE), MOST_CHANGE);
      windows.shift();
    }
    while (windows.length < AHEAD && next < before) {
      const to = Math.min(next + Math.ceil(width), before) - 1;
      windows.push(open(next, to));
      next = to + 1;
    }
    yield { rows: rows as readonly T[], after: last ?? window.to };
  }
}
