import {
  BatchGetCommand,
  type BatchGetCommandInput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { DynamoContext } from './client.ts';
import { backoff } from './client.ts';
import { Expression } from './expression.ts';
import { indexKey } from './index-key.ts';
import type { CursorRequest, Filter, OffsetRequest, Page, PageRequest } from './page.ts';
import { indexName, type NamedTable } from './table.ts';

/** DynamoDB's own limit of keys in one BatchGetItem. */
const BATCH = 100;
/** Of one BatchGetItem and its unprocessed keys; with the pauses between them at most 3.3 s. */
const BATCH_ATTEMPTS = 8;
/** DynamoDB's own limit of a query's `Limit`. */
const MOST = 2 ** 31 - 1;

type Selection = Pick<PageRequest<string>, 'filter' | 'range' | 'order' | 'attributes'>;
type Items = NonNullable<QueryCommandOutput['Items']>;

const NOTHING = { Items: [], Count: 0 };

/** The first and the last id that a query may return after the id `after`, in the order of the list. */
const idsAfter = ({ order, range }: Selection, after: number | undefined): { first: number; last: number } => {
  const { from, before } = range ?? { from: 0, before: Number.MAX_SAFE_INTEGER + 1 };
  if (after === undefined) return { first: from, last: before - 1 };
  return order === 'ascending'
    ? { first: Math.max(from, after + 1), last: before - 1 }
    : { first: from, last: Math.min(before - 1, after - 1) };
};

/** A run of rows, and where it ends. */
interface FilteredRows<T> {
  readonly rows: readonly T[];
  readonly more: boolean;
  readonly last: number | undefined;
}

/**
 * Reads the members of one account in the order of their ids (CONTRACT §5). Without a filter it reads the table,
 * strongly consistent; with one, the keys of an index and then the rows, whose present state decides.
 */
export class PageReader<T extends Entity> {
  readonly #engine: DynamoContext;
  readonly #table: NamedTable;
  readonly #account: string;

  constructor(engine: DynamoContext, table: NamedTable, account: string) {
    this.#engine = engine;
    this.#table = table;
    this.#account = account;
  }

  readPage(request: PageRequest<string>): Promise<Page<T>> {
    return request.style === 'cursor' ? this.#byCursor(request) : this.#byOffset(request);
  }

  async #byCursor(request: CursorRequest<string>): Promise<Page<T>> {
    const { rows, more } = await this.#run(request, request.after, request.limit);
    return { rows, has_more: more };
  }

  /** Counts what lies before the page, reads the page, counts what lies behind it: one pass over the keys. */
  async #byOffset(request: OffsetRequest<string>): Promise<Page<T>> {
    const offset = (request.page - 1) * request.per_page;
    const before = await this.#count(request, undefined, offset);
    if (before.ended) return { rows: [], total_count: before.count };
    const { rows, more, last } = await this.#run(request, before.last, request.per_page);
    const behind = more ? await this.#count(request, last, Number.POSITIVE_INFINITY) : { count: 0 };
    return { rows, total_count: offset + rows.length + behind.count };
  }

  /** Up to `wanted` rows after the id `after`; a page that comes back short is filled up. */
  async #run(selection: Selection, after: number | undefined, wanted: number): Promise<FilteredRows<T>> {
    const rows: T[] = [];
    let last = after;
    for (;;) {
      const missing = wanted - rows.length;
      const { Items = [], LastEvaluatedKey } = await this.#query(selection, last, missing + 1);
      const taken = Items.slice(0, missing);
      rows.push(...(await this.#present(selection, taken)));
      const more = Items.length > missing;
      last = ((more ? taken.at(-1) : (LastEvaluatedKey ?? taken.at(-1)))?.['id'] ?? last) as number | undefined;
      if (rows.length === wanted ? more || !LastEvaluatedKey : !more && !LastEvaluatedKey) return { rows, more, last };
    }
  }

  /** How many rows follow the id `after`, up to `most`; the last of them, and whether the collection ended there. */
  async #count(selection: Selection, after: number | undefined, most: number) {
    let count = 0;
    let last = after;
    while (count < most) {
      const limit = Math.min(most - count, MOST);
      const { Count = 0, LastEvaluatedKey } = await this.#query({ ...selection, attributes: [] }, last, limit, 'COUNT');
      count += Count;
      if (!LastEvaluatedKey) return { count, last, ended: true };
      last = LastEvaluatedKey['id'] as number;
    }
    return { count, last, ended: false };
  }

  async #query(
    selection: Selection,
    after: number | undefined,
    limit: number,
    select?: 'COUNT',
  ): Promise<Pick<QueryCommandOutput, 'Items' | 'Count' | 'LastEvaluatedKey'>> {
    const { filter, order, attributes } = selection;
    const { first, last } = idsAfter(selection, after);
    // DynamoDB refuses a BETWEEN whose bounds are the wrong way round.
    if (first > last) return NOTHING;
    const filtered = Object.keys(filter).length > 0;
    const expression = new Expression();
    const { name, partition } = filtered ? this.#index(filter) : { name: undefined, partition: this.#account };
    const keys = [`${expression.name(name ?? 'account_id')} = ${expression.value(partition)}`];
    keys.push(`${expression.name('id')} BETWEEN ${expression.value(first)} AND ${expression.value(last)}`);
    const input: QueryCommandInput = {
      TableName: this.#engine.tableNames[this.#table.name],
      IndexName: name,
      KeyConditionExpression: keys.join(' AND '),
      ScanIndexForward: order === 'ascending',
      ConsistentRead: !filtered,
      Limit: limit,
      Select: select,
      ...expression.memberProjection(select || filtered ? undefined : attributes),
      ...expression.placeholders(),
    };
    return this.#engine.client.send(new QueryCommand(input));
  }

  /** The index that answers a filter: there is one for each combination a collection declares. */
  #index(filter: Filter): { name: string; partition: string } {
    const attributes = this.#table.indexes.find(
      (index) => index.length === Object.keys(filter).length && index.every((attribute) => attribute in filter),
    );
    if (!attributes)
      throw new Error(`No index of ${this.#table.name} answers the filter ${Object.keys(filter).join(', ')}.`);
    const values = attributes.map((attribute: string) => filter[attribute]);
    return { name: indexName(attributes), partition: indexKey(this.#account, values) };
  }

  /** The rows behind index keys, without those that the index has not yet forgotten. */
  async #present({ filter, attributes }: Selection, items: Items): Promise<T[]> {
    const wanted = Object.entries(filter);
    if (wanted.length === 0) return items as T[];
    const ids = items.map((item) => item['id'] as number);
    const found = await this.find(ids, attributes && [...attributes, ...Object.keys(filter)]);
    return ids
      .flatMap((id) => found.get(id) ?? [])
      .filter((row) => wanted.every(([attribute, value]) => Reflect.get(row, attribute) === value));
  }

  async find(ids: readonly number[], attributes?: readonly string[]): Promise<ReadonlyMap<number, T>> {
    const found = new Map<number, T>();
    const distinct = [...new Set(ids)];
    const table = this.#engine.tableNames[this.#table.name];
    for (let start = 0; start < distinct.length; start += BATCH) {
      const expression = new Expression();
      const Keys = distinct.slice(start, start + BATCH).map((id) => ({ account_id: this.#account, id }));
      let RequestItems: BatchGetCommandInput['RequestItems'] = {
        [table]: {
          Keys,
          ConsistentRead: true,
          ...expression.memberProjection(attributes),
          ...expression.placeholders(),
        },
      };
      for (let attempt = 0; RequestItems && Object.keys(RequestItems).length > 0; attempt++) {
        if (attempt === BATCH_ATTEMPTS)
          throw new ProblemError('unavailable', { detail: 'The database did not respond in time.' });
        if (attempt > 0) await backoff(attempt);
        const { Responses, UnprocessedKeys } = await this.#engine.client.send(new BatchGetCommand({ RequestItems }));
        for (const row of (Responses?.[table] ?? []) as T[]) found.set(row.id, row);
        RequestItems = UnprocessedKeys as typeof RequestItems;
      }
    }
    return found;
  }
}
