import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import {
  indexKey,
  type NamedTable,
  parseSortKey,
  readRow,
  sortAttribute,
  sortKey,
} from '#shared/platform/dynamodb/table.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { findRows } from '#shared/platform/store/find-rows.ts';
import {
  type CursorRequest,
  combinationsOf,
  type Filter,
  matches,
  type OffsetRequest,
  type Page,
  type PageRequest,
  type Sorting,
  type Values,
} from '#shared/platform/store/page.ts';
import { PAGE_LIMIT } from '#shared/platform/store/rows.ts';

type Items = NonNullable<QueryCommandOutput['Items']>;
type Queried = Pick<QueryCommandOutput, 'Items' | 'Count' | 'LastEvaluatedKey'>;

const EMPTY_RESULT = { Items: [], Count: 0 };

/**
 * Reads members in the order of their ids, or of a date (CONTRACT §5). Without a filter and a date it queries the table,
 * with strong consistency. Otherwise it queries the keys of an index, which may be stale, then reads the rows and drops
 * those that no longer match their key.
 */
export class PageReader<T extends Entity> {
  readonly #context: DynamoContext;
  readonly #table: NamedTable;
  readonly #account: string;

  constructor(context: DynamoContext, table: NamedTable, account: string) {
    this.#context = context;
    this.#table = table;
    this.#account = account;
  }

  async readCursorPage(request: CursorRequest<string>): Promise<Page<T>> {
    const { rows, hasMore } = await this.readRows(request, sortKeyAfter(request), request.limit);
    return { rows, has_more: hasMore };
  }

  /** Counts the rows before the page, reads the page, and counts the rows after it: one pass over the keys. */
  async readCountedPage(request: OffsetRequest<string>, progress: CountProgress): Promise<Page<T>> {
    const offset = (request.page - 1) * request.per_page;
    const before = await this.countRows(request, undefined, offset, progress);
    if (before.isAtEnd) return { rows: [], total_count: before.count };
    const { rows, hasMore, last } = await this.readRows(request, before.last, request.per_page);
    progress.onCount?.(offset + rows.length);
    const following = hasMore ? await this.countRows(request, last, Number.POSITIVE_INFINITY, progress) : { count: 0 };
    const total_count = offset + rows.length + following.count;
    progress.onCount?.(total_count);
    return { rows, total_count };
  }

  /** Reads up to `limit` rows after the sort key `after`; queries again when stale index keys leave fewer. */
  async readRows(selection: Selection, after: SortKey | undefined, limit: number): Promise<RowsAfter<T>> {
    const rows: T[] = [];
    let last = after;
    for (;;) {
      const remaining = limit - rows.length;
      const { Items = [], LastEvaluatedKey } = await this.#queryAll(selection, last, remaining + 1);
      const keys = Items.slice(0, remaining);
      for (const row of await this.#loadMatching(selection, keys)) rows.push(row);
      const hasMore = Items.length > remaining;
      const lastKey = hasMore ? keys.at(-1) : (LastEvaluatedKey ?? keys.at(-1));
      last = (lastKey?.[sortKeyOf(selection)] ?? last) as SortKey | undefined;
      const isComplete = rows.length === limit ? hasMore || !LastEvaluatedKey : !hasMore && !LastEvaluatedKey;
      if (isComplete) return { rows, hasMore, last };
    }
  }

  async count(filter: Values): Promise<number> {
    const all = { until: Number.POSITIVE_INFINITY };
    return (await this.countRows({ filter, order: 'ascending' }, undefined, Number.POSITIVE_INFINITY, all)).count;
  }

  /** @throws ProblemError `unavailable` when it takes too long */
  async countRows(
    selection: Selection<Values>,
    after: SortKey | undefined,
    max: number,
    { until, onCount }: CountProgress,
  ) {
    let count = 0;
    let last = after;
    while (count < max) {
      const limit = Math.min(max - count, PAGE_LIMIT);
      const { Count = 0, LastEvaluatedKey } = await this.#query({ ...selection, attributes: [] }, last, limit, 'COUNT');
      count += Count;
      onCount?.(count);
      if (!LastEvaluatedKey) return { count, last, isAtEnd: true };
      last = LastEvaluatedKey[sortKeyOf(selection)] as SortKey;
      if (Date.now() >= until) throw new ProblemError('unavailable', { detail: 'Counting the rows takes too long.' });
    }
    return { count, last, isAtEnd: false };
  }

  /**
   * Queries each combination of values and merges the keys. It does so twice: a member that moves between two queries can be
   * in neither, but not in the four of both times.
   */
  async #queryAll(selection: Selection, after: SortKey | undefined, limit: number): Promise<Queried> {
    const combinations = combinationsOf(selection.filter);
    const queryEach = () =>
      Promise.all(combinations.map((filter) => this.#query({ ...selection, filter }, after, limit)));
    const first = await queryEach();
    if (first.length === 1) return first[0] as Queried;
    return merge([...first, ...(await queryEach())], selection);
  }

  async #query(
    selection: Selection<Values>,
    after: SortKey | undefined,
    limit: number,
    select?: 'COUNT',
  ): Promise<Queried> {
    const { order, attributes } = selection;
    const { first, last } = boundsOf(selection, after);
    // DynamoDB rejects a BETWEEN whose lower bound is above the upper bound.
    if (first > last) return EMPTY_RESULT;
    const usesIndex = isIndexed(selection);
    const expression = new Expression();
    const { name, attribute, partition } = this.#partitionOf(selection);
    const input: QueryCommandInput = {
      TableName: this.#context.tableNames[this.#table.name],
      IndexName: name,
      KeyConditionExpression: expression.keysIn(attribute, partition, first, last, sortKeyOf(selection)),
      ScanIndexForward: order === 'ascending',
      ConsistentRead: !usesIndex,
      Limit: limit,
      Select: select,
      ...expression.memberProjection(select || usesIndex ? undefined : attributes),
      ...expression.placeholders(),
    };
    return this.#context.client.send(new QueryCommand(input));
  }

  /** Each declared combination of filters, and each declared sort, has an index. */
  #partitionOf(selection: Selection<Values>): { name?: string; attribute: string; partition: string } {
    if (!isIndexed(selection)) return { attribute: 'account_id', partition: this.#account };
    const { filter, sort } = selection;
    const names = Object.keys(filter);
    const index = this.#table.indexes.find(
      ({ filters, by }) =>
        by === sort?.by && filters.length === names.length && filters.every((name) => name in filter),
    );
    if (!index) throw new Error(`${this.#table.name} has no index for ${[...names, sort?.by].join(', ')}.`);
    const values = index.filters.map((name) => filter[name]);
    return { name: index.name, attribute: index.partition, partition: indexKey(this.#account, values) };
  }

  /** Reads the rows of index keys, and drops rows that no longer match the filter or have another date. */
  async #loadMatching(selection: Selection, keys: Items): Promise<T[]> {
    const { filter, sort, attributes } = selection;
    if (!isIndexed(selection)) return keys.map((row) => readRow(this.#table, row as T, attributes));
    const ids = keys.map((key) => key['id'] as number);
    const needed = attributes && [...attributes, ...Object.keys(filter), ...(sort ? [sort.by] : [])];
    const rows = await findRows<T>(this.#context, this.#table, this.#account, ids, needed);
    return keys.flatMap((key, i) => {
      const row = rows.get(ids[i] as number);
      const date = sort && { [sort.by]: parseSortKey(key[sortAttribute(sort.by)]).date };
      return row && matches(row, { ...filter, ...date }) ? [row] : [];
    });
  }
}

const isIndexed = ({ filter, sort }: Selection): boolean => sort !== undefined || Object.keys(filter).length > 0;

/** The distinct keys up to the first end of a part: after it, keys of that part may be missing. */
const merge = (parts: readonly Queried[], selection: Selection): Queried => {
  const name = sortKeyOf(selection);
  const direction = selection.order === 'ascending' ? 1 : -1;
  const compare = (a: SortKey, b: SortKey) => (a < b ? -direction : a > b ? direction : 0);
  const [end] = parts.flatMap(({ LastEvaluatedKey }) => (LastEvaluatedKey?.[name] as SortKey) ?? []).sort(compare);
  const keys = new Map(parts.flatMap(({ Items = [] }) => Items.map((key) => [key[name] as SortKey, key])));
  const known = [...keys].filter(([key]) => end === undefined || compare(key, end) <= 0);
  const Items = known.sort(([a], [b]) => compare(a, b)).map(([, key]) => key);
  return { Items, ...(end !== undefined && { LastEvaluatedKey: { [name]: end } }) };
};

/** The attribute by which the rows are read. */
const sortKeyOf = ({ sort }: Selection): string => (sort ? sortAttribute(sort.by) : 'id');

export interface CountProgress {
  /** When counting stops, in epoch milliseconds. */
  readonly until: number;
  readonly onCount?: (count: number) => void;
}

interface RowsAfter<T> {
  readonly rows: readonly T[];
  readonly hasMore: boolean;
  /** The sort key of the last row or key that was read. */
  readonly last: SortKey | undefined;
}

export type Selection<F = Filter> = Pick<PageRequest<string>, 'range' | 'order' | 'attributes'> &
  Pick<CursorRequest, 'sort'> & { readonly filter: F };

/** The sort key of a row in the order of a list: its id, or its date and id. */
type SortKey = number | string;

/** The sort key after which a page begins. */
const sortKeyAfter = ({ after, sort }: CursorRequest<string>): SortKey | undefined =>
  after === undefined || sort?.after === undefined ? after : sortKey(sort.after, after);

/** The lowest and the highest sort key that can follow `after` in the order of the list. */
export const boundsOf = (selection: Selection, after: SortKey | undefined): { first: SortKey; last: SortKey } => {
  const { order, sort } = selection;
  const [first, last] = sort ? dateBounds(sort) : idBounds(selection);
  if (after === undefined) return { first, last };
  const next = moved(after, order === 'ascending' ? 1 : -1);
  if (order === 'ascending') return { first: next > first ? next : first, last };
  return { first, last: next < last ? next : last };
};

const idBounds = ({ range }: Selection): [number, number] => [
  range?.from ?? 0,
  (range?.before ?? Number.MAX_SAFE_INTEGER + 1) - 1,
];

/** A date begins with a digit, which is between these characters. No row has the id 0. */
const dateBounds = ({ from, before }: Sorting): [string, string] => [
  from === undefined ? '#' : sortKey(from, 0),
  before === undefined ? '~' : sortKey(before, 0),
];

const moved = (key: SortKey, step: 1 | -1): SortKey => {
  if (typeof key === 'number') return key + step;
  const { date, id } = parseSortKey(key);
  return sortKey(date, id + step);
};
