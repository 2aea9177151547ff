import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { convertToNative } from '@aws-sdk/util-dynamodb';
import { type DynamoContext, recordRead } from '#shared/platform/dynamodb/client.ts';
import type { Attributes } from '#shared/platform/dynamodb/expression.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { NamedTable } from '#shared/platform/dynamodb/table.ts';
import { readRow } from '#shared/platform/dynamodb/table.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { sendRaw } from '#shared/platform/workarounds/sdk-query-deserializer.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { type CountReaders, Pace } from './pace.ts';
import type { Filter } from './page.ts';

export interface Range {
  readonly from: number;
  readonly before: number;
  readonly filter: Filter;
  /** The stored attributes to read, including the id. */
  readonly attributes: readonly string[];
  /** Returns the number of workers that read the same partition; by default 1, this worker. */
  readonly countReaders?: CountReaders;
}

/**
 * Some rows of a range, and the id up to which the range has been read. A chunk without progress has no rows: the reader
 * waits for units, and the caller can stop.
 */
export interface Chunk {
  readonly rows: readonly Attributes[];
  readonly after: number;
}

/** The limit is above the rows of most pages. Without it, the embedded DynamoDB reads the whole range for each page. */
export const PAGE_LIMIT = 4000;

/**
 * Reads a range in the order of its ids, with strong consistency. While the caller uses a page, the next page is
 * requested: one query at a time, at a {@link Pace} that leaves the account's requests their throughput. A page that
 * DynamoDB refuses is requested again until the caller stops.
 */
export async function* readRows(
  context: DynamoContext,
  table: NamedTable,
  account: string,
  { from, before, countReaders, ...selection }: Range,
): AsyncGenerator<Chunk> {
  const query = pageQuery(context, table.name, account, selection);
  const pace = new Pace(context.partitionReadUnits, countReaders);
  const end = before - 1;
  const request = (first: number) => {
    const response = first <= end ? requestInTurn(pace, () => query(first, end)) : undefined;
    // The promise may reject before it is awaited.
    response?.catch(() => {});
    return response;
  };
  let after = from - 1;
  let next = request(from);
  try {
    while (next !== undefined) {
      // The page stays a text until it is needed: one string is less work for the garbage collector than parsed rows.
      const page = await next;
      const {
        rows,
        units,
        last = end,
      } = page ? decodeQueryPage(page, table, selection.attributes) : { ...NO_ROWS, last: after };
      if (page) pace.used(units);
      recordRead(units);
      after = last;
      next = request(after + 1);
      yield { rows, after };
    }
  } finally {
    pace.stop();
  }
}

const NO_ROWS = { rows: [], units: 0 };

/** @returns undefined when the reader must wait longer, or DynamoDB refused the page */
const requestInTurn = async (pace: Pace, send: () => Promise<string>): Promise<string | undefined> => {
  try {
    return (await pace.turn()) ? await send() : undefined;
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'unavailable')) throw error;
    pace.refused();
    return undefined;
  }
};

/** A function that requests the first page of a range of ids, as text. */
const pageQuery = (
  { client, tableNames }: DynamoContext,
  table: TableName,
  account: string,
  { filter, attributes }: Pick<Range, 'filter' | 'attributes'>,
) => {
  const clauses = Object.entries(filter).map(([attribute, value]) => [attribute, 'in', [value].flat()] as const);
  return (from: number, to: number): Promise<string> => {
    const expression = new Expression();
    const command = new QueryCommand({
      TableName: tableNames[table],
      KeyConditionExpression: expression.keysIn('account_id', account, from, to),
      ...(clauses.length > 0 && { FilterExpression: expression.condition({ clauses }) }),
      ProjectionExpression: expression.projection(attributes),
      ConsistentRead: true,
      Limit: PAGE_LIMIT,
      ReturnConsumedCapacity: 'TOTAL',
      ...expression.placeholders(),
    });
    return sendRaw(client, command);
  };
};

type EncodedItem = Readonly<Record<string, AttributeValue | undefined>>;
interface QueryResponse {
  readonly Items?: readonly EncodedItem[];
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
  readonly LastEvaluatedKey?: { readonly id: { readonly N: string } };
}

interface QueryPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The consumed read units, which include filtered rows; 0 where the embedded DynamoDB does not report them. */
  readonly units: number;
  readonly last: number | undefined;
}

/** Decodes the common attribute types directly and leaves the rest to the SDK. */
const decodeValue = (attribute: AttributeValue): unknown => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.NULL) return null;
  const number = Number(attribute.N);
  return Number.isSafeInteger(number) ? number : convertToNative(attribute);
};

/** Gives all rows the same order of attributes, because V8 is far faster with objects of one shape. */
const decodeQueryPage = (response: string, table: NamedTable, attributes: readonly string[]): QueryPage => {
  const { Items = [], ConsumedCapacity, LastEvaluatedKey } = JSON.parse(response) as QueryResponse;
  const rowOf = (item: EncodedItem) => {
    const row: Record<string, unknown> = {};
    for (const name of attributes) {
      const attribute = item[name];
      row[name] = attribute && decodeValue(attribute);
    }
    return readRow(table, row, attributes);
  };
  const last = LastEvaluatedKey && Number(LastEvaluatedKey.id.N);
  return { rows: Items.map(rowOf), units: ConsumedCapacity?.CapacityUnits ?? 0, last };
};
