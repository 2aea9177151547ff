import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { indexKey } from '#shared/platform/dynamodb/index-key.ts';
import { indexName, type NamedTable } from '#shared/platform/dynamodb/table.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { findRows } from './find-rows.ts';
import type { CursorRequest, Filter, OffsetRequest, Page, PageRequest } from './page.ts';
import { PAGE_LIMIT } from './rows.ts';

export type Selection = Pick<PageRequest<string>, 'filter' | 'range' | 'order' | 'attributes'>;
type Items = NonNullable<QueryCommandOutput['Items']>;

const EMPTY_RESULT = { Items: [], Count: 0 };

/**
 * Reads members in the order of their ids (CONTRACT §5). Without a filter it queries the table, with strong
 * consistency. With a filter it queries the keys of an index, which may be stale, then reads the rows and drops those
 * that no longer match.
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
    const { rows, hasMore } = await this.readRows(request, request.after, request.limit);
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

  /** Reads up to `limit` rows after the id `after`; queries again when stale index keys leave fewer. */
  async readRows(selection: Selection, after: number | undefined, limit: number): Promise<RowsAfter<T>> {
    const rows: T[] = [];
    let last = after;
    for (;;) {
      const remaining = limit - rows.length;
      const { Items = [], LastEvaluatedKey } = await this.#query(selection, last, remaining + 1);
      const keys = Items.slice(0, remaining);
      rows.push(...(await this.#loadMatching(selection, keys)));
      const hasMore = Items.length > remaining;
      last = ((hasMore ? keys.at(-1) : (LastEvaluatedKey ?? keys.at(-1)))?.['id'] ?? last) as number | undefined;
      const isComplete = rows.length === limit ? hasMore || !LastEvaluatedKey : !hasMore && !LastEvaluatedKey;
      if (isComplete) return { rows, hasMore, last };
    }
  }

  /** @throws ProblemError `unavailable` when it takes too long */
  async countRows(selection: Selection, after: number | undefined, max: number, { until, onCount }: CountProgress) {
    let count = 0;
    let last = after;
    while (count < max) {
      const limit = Math.min(max - count, PAGE_LIMIT);
      const { Count = 0, LastEvaluatedKey } = await this.#query({ ...selection, attributes: [] }, last, limit, 'COUNT');
      count += Count;
      onCount?.(count);
      if (!LastEvaluatedKey) return { count, last, isAtEnd: true };
      last = LastEvaluatedKey['id'] as number;
      if (Date.now() >= until) throw new ProblemError('unavailable', { detail: 'Counting the rows takes too long.' });
    }
    return { count, last, isAtEnd: false };
  }

  async #query(
    selection: Selection,
    after: number | undefined,
    limit: number,
    select?: 'COUNT',
  ): Promise<Pick<QueryCommandOutput, 'Items' | 'Count' | 'LastEvaluatedKey'>> {
    const { filter, order, attributes } = selection;
    const { first, last } = idBounds(selection, after);
    // DynamoDB rejects a BETWEEN whose lower bound is above the upper one.
    if (first > last) return EMPTY_RESULT;
    const isFiltered = Object.keys(filter).length > 0;
    const expression = new Expression();
    const { name, partition } = isFiltered ? this.#findIndex(filter) : { name: undefined, partition: this.#account };
    const input: QueryCommandInput = {
      TableName: this.#context.tableNames[this.#table.name],
      IndexName: name,
      KeyConditionExpression: expression.idsIn(name ?? 'account_id', partition, first, last),
      ScanIndexForward: order === 'ascending',
      ConsistentRead: !isFiltered,
      Limit: limit,
      Select: select,
      ...expression.memberProjection(select || isFiltered ? undefined : attributes),
      ...expression.placeholders(),
    };
    return this.#context.client.send(new QueryCommand(input));
  }

  /** Each declared combination of filters has an index. */
  #findIndex(filter: Filter): { name: string; partition: string } {
    const attributes = this.#table.indexes.find(
      (index) => index.length === Object.keys(filter).length && index.every((attribute) => attribute in filter),
    );
    if (!attributes)
      throw new Error(`The table ${this.#table.name} has no index for the filter ${Object.keys(filter).join(', ')}.`);
    const values = attributes.map((attribute: string) => filter[attribute]);
    return { name: indexName(attributes), partition: indexKey(this.#account, values) };
  }

  /** Reads the rows of index keys and drops those that no longer match the filter. */
  async #loadMatching({ filter, attributes }: Selection, items: Items): Promise<T[]> {
    const conditions = Object.entries(filter);
    if (conditions.length === 0) return items as T[];
    const ids = items.map((item) => item['id'] as number);
    const needed = attributes && [...attributes, ...Object.keys(filter)];
    const rows = await findRows<T>(this.#context, this.#table.name, this.#account, ids, needed);
    return ids
      .flatMap((id) => rows.get(id) ?? [])
      .filter((row) => conditions.every(([attribute, value]) => Reflect.get(row, attribute) === value));
  }
}

export interface CountProgress {
  /** When counting stops, in epoch milliseconds. */
  readonly until: number;
  readonly onCount?: (count: number) => void;
}

interface RowsAfter<T> {
  readonly rows: readonly T[];
  readonly hasMore: boolean;
  /** The id of the last row or key that was read. */
  readonly last: number | undefined;
}

/** The lowest and the highest id that can follow the id `after` in the order of the list. */
const idBounds = ({ order, range }: Selection, after: number | undefined): { first: number; last: number } => {
  const { from, before } = range ?? { from: 0, before: Number.MAX_SAFE_INTEGER + 1 };
  if (after === undefined) return { first: from, last: before - 1 };
  return order === 'ascending'
    ? { first: Math.max(from, after + 1), last: before - 1 }
    : { first: from, last: Math.min(before - 1, after - 1) };
};
