import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { convertToNative } from '@aws-sdk/util-dynamodb';
import type { Product } from '#shared/platform/product.ts';
import { sendRaw } from '#shared/platform/workarounds/sdk-query-deserializer.ts';
import type { DynamoContext } from './client.ts';
import { Expression } from './expression.ts';
import type { Filter } from './page.ts';
import { recordRead } from './usage.ts';
import type { Attributes } from './write.ts';

export interface Range {
  readonly from: number;
  readonly before: number;
  readonly filter: Filter;
  /** The stored attributes to read, including the id. */
  readonly attributes: readonly string[];
}

/** Some rows of a range, and the id up to which the range has been read. */
export interface Chunk {
  readonly rows: readonly Attributes[];
  readonly after: number;
}

/** A part of the range; once its query is sent, it has a response. */
interface Part {
  readonly from: number;
  to: number;
  /** Kept as text until it is needed: one string is less work for the garbage collector than parsed rows. */
  response?: Promise<string>;
}

const PREFETCH = 3;
/** The read units of a full page: 1 MB with strong consistency, one unit for each 4 KB. */
const PAGE_UNITS = 256;
/** How much of a page a part should fill: a part slightly larger than a page costs another round trip. */
const TARGET_FILL = 0.8;

/** More rows than most pages have. Without a limit, the embedded DynamoDB reads the whole range for each page. */
export const PAGE_LIMIT = 4000;

type RangeQuery = (from: number, to: number) => Promise<string>;

/**
 * Reads a range in the order of its ids, with strong consistency. DynamoDB returns the pages of a query one by one, so
 * this function queries parts of a large range, several at a time. It estimates from the rows before how wide a part
 * must be to fill almost a page. If the estimate is wrong, the part takes several pages, or less than one.
 */
export async function* readRows(
  context: DynamoContext,
  table: Product['table'],
  account: string,
  { from, before, ...selection }: Range,
): AsyncGenerator<Chunk> {
  const query = rangeQuery(context, table, account, selection);
  const parts: Part[] = from < before ? [{ from, to: before - 1 }] : [];
  for (let width = before - from; parts.length > 0; ) {
    prefetch(parts, width, query);
    const part = parts.shift() as Part;
    const { rows, units, last } = decodeQueryPage(await (part.response as Promise<string>), selection.attributes);
    recordRead(units);
    const after = last ?? part.to;
    if (after < part.to) parts.unshift({ from: after + 1, to: part.to });
    width = nextWidth(after - part.from + 1, units);
    yield { rows, after };
  }
}

const rangeQuery = (
  { client, tableNames }: DynamoContext,
  table: Product['table'],
  account: string,
  { filter, attributes }: Pick<Range, 'filter' | 'attributes'>,
): RangeQuery => {
  const clauses = Object.entries(filter).map(([attribute, value]) => [attribute, '=', value] as const);
  return (from, to) => {
    const expression = new Expression();
    const partition = `${expression.name('account_id')} = ${expression.value(account)}`;
    const ids = `${expression.name('id')} BETWEEN ${expression.value(from)} AND ${expression.value(to)}`;
    const command = new QueryCommand({
      TableName: tableNames[table],
      KeyConditionExpression: `${partition} AND ${ids}`,
      ...(clauses.length > 0 && { FilterExpression: expression.condition({ match: 'all', clauses }) }),
      ProjectionExpression: expression.projection(attributes),
      ConsistentRead: true,
      Limit: PAGE_LIMIT,
      ReturnConsumedCapacity: 'TOTAL',
      ...expression.placeholders(),
    });
    const response = sendRaw(client, command);
    // It may reject before it is awaited.
    response.catch(() => {});
    return response;
  };
};

/** Sends the queries of the first parts, each at most `width` ids wide. */
const prefetch = (parts: Part[], width: number, query: RangeQuery): void => {
  for (const [i, part] of parts.entries()) {
    if (i === PREFETCH) return;
    if (part.response) continue;
    const { to } = part;
    part.to = Math.min(to, part.from + width - 1);
    part.response = query(part.from, part.to);
    if (part.to < to) parts.splice(i + 1, 0, { from: part.to + 1, to });
  }
};

/** The width of the next part, from the units that the last one consumed; unbounded when it consumed almost none. */
const nextWidth = (ids: number, units: number): number =>
  units > 1 ? Math.ceil((ids * TARGET_FILL * PAGE_UNITS) / units) : Number.POSITIVE_INFINITY;

type Item = Readonly<Record<string, AttributeValue | undefined>>;
interface QueryResponse {
  readonly Items?: readonly Item[];
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
const decodeQueryPage = (response: string, attributes: readonly string[]): QueryPage => {
  const { Items = [], ConsumedCapacity, LastEvaluatedKey } = JSON.parse(response) as QueryResponse;
  const rowOf = (item: Item) => {
    const row: Record<string, unknown> = {};
    for (const name of attributes) {
      const attribute = item[name];
      row[name] = attribute && decodeValue(attribute);
    }
    return row;
  };
  const last = LastEvaluatedKey && Number(LastEvaluatedKey.id.N);
  return { rows: Items.map(rowOf), units: ConsumedCapacity?.CapacityUnits ?? 0, last };
};
