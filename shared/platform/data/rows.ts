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

/** The rows of one account with ids in `from`…`before` − 1 and these values. */
export interface Range {
  readonly from: number;
  readonly before: number;
  readonly filter: Filter;
  /** The stored attributes to read, the id among them. */
  readonly attributes: readonly string[];
}

/** Some of a range's rows, and the id up to which it has been read. */
export interface Chunk {
  readonly rows: readonly Attributes[];
  readonly after: number;
}

/** A part of the range: asked for, or yet to be cut into parts that are. */
interface Part {
  readonly from: number;
  to: number;
  /** The answer, unread: as text it is small, and nothing for the garbage collector to walk. */
  answer?: Promise<string>;
}

/** How many parts are asked for at a time. */
const PREFETCH = 3;
/** What a full page, 1 MB read with strong consistency, is charged with: a unit for each 4 KB. */
const PAGE_UNITS = 256;
/** How full of a page's rows a part should be: a little more than a page would be another round trip. */
const TARGET_FILL = 0.8;

/** More than most pages have; the embedded engine, unlike DynamoDB, reads a whole range for a page without it. */
const LIMIT = 4000;

/** Asks for a page of the ids `from`…`to`. */
type RangeQuery = (from: number, to: number) => Promise<string>;

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
      Limit: LIMIT,
      ReturnConsumedCapacity: 'TOTAL',
      ...expression.placeholders(),
    });
    const answer = sendRaw(client, command);
    // It may fail before anyone waits for it.
    answer.catch(() => {});
    return answer;
  };
};

/** Asks for the first parts, no wider than so many ids each. */
const prefetch = (parts: Part[], width: number, ask: RangeQuery): void => {
  for (const [i, part] of parts.entries()) {
    if (i === PREFETCH) return;
    if (part.answer) continue;
    const { to } = part;
    part.to = Math.min(to, part.from + width - 1);
    part.answer = ask(part.from, part.to);
    if (part.to < to) parts.splice(i + 1, 0, { from: part.to + 1, to });
  }
};

/** How wide the next part should be, after so many ids took so many units: if next to nothing, all that is left. */
const nextWidth = (ids: number, units: number): number =>
  units > 1 ? Math.ceil((ids * TARGET_FILL * PAGE_UNITS) / units) : Number.POSITIVE_INFINITY;

/**
 * Reads a range in the order of its ids, with strong consistency. DynamoDB answers a query page after page, so a large
 * range is read in parts, several at a time, each as wide as would be nearly a page if rows go on as dense as in the
 * last one that was read. Where they do not, a part is several pages, or less than one.
 */
export async function* readRows(
  engine: DynamoContext,
  table: Product['table'],
  account: string,
  { from, before, ...selection }: Range,
): AsyncGenerator<Chunk> {
  const ask = rangeQuery(engine, table, account, selection);
  const parts: Part[] = from < before ? [{ from, to: before - 1 }] : [];
  // A small range is one page, and then that is all.
  for (let width = before - from; parts.length > 0; ) {
    prefetch(parts, width, ask);
    const part = parts.shift() as Part;
    const { rows, units, last } = decodeQueryPage(await (part.answer as Promise<string>), selection.attributes);
    recordRead(units);
    const after = last ?? part.to;
    if (after < part.to) parts.unshift({ from: after + 1, to: part.to });
    width = nextWidth(after - part.from + 1, units);
    yield { rows, after };
  }
}

type Item = Readonly<Record<string, AttributeValue | undefined>>;
interface QueryResponse {
  readonly Items?: readonly Item[];
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
  readonly LastEvaluatedKey?: { readonly id: { readonly N: string } };
}

/** One page of a query: up to 1 MB, before the filter. */
interface QueryPage {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The consumed read units, also for rows that the filter left out; 0 where the engine does not report them. */
  readonly units: number;
  /** The last row that was read, where there may be more. */
  readonly last: number | undefined;
}

/** Decodes the common attribute types directly, and leaves the others to the SDK. */
const decodeValue = (attribute: AttributeValue): unknown => {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.NULL) return null;
  const number = Number(attribute.N);
  return Number.isSafeInteger(number) ? number : convertToNative(attribute);
};

/**
 * Decodes the response to a query. Rows have the named attributes in this order, not in DynamoDB's: V8 is far quicker
 * with objects of one shape.
 */
const decodeQueryPage = (answer: string, attributes: readonly string[]): QueryPage => {
  const { Items = [], ConsumedCapacity, LastEvaluatedKey } = JSON.parse(answer) as QueryResponse;
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
