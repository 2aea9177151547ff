import { QueryCommand, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { Engine } from './engine.ts';
import { Expression } from './expression.ts';
import type { Filter } from './page.ts';
import type { TableName } from './tables.ts';

/** The rows of one account with ids in `from`…`before` − 1 and these values. */
export interface Range {
  readonly from: number;
  readonly before: number;
  readonly filter: Filter;
  /** The stored attributes to read. */
  readonly attributes: readonly string[];
}

/** Some of a range's rows, and the id up to which it has been read. */
export interface Stretch<T> {
  readonly rows: readonly T[];
  readonly after: number;
}

/**
 * Reads a range in pages of DynamoDB's own size, 1 MB before the filter, each with strong consistency; the next is
 * asked for while the caller works on one. A page may be empty.
 */
export async function* rowsIn<T>(
  { client, names }: Engine,
  table: TableName,
  account: string,
  { from, before, filter, attributes }: Range,
): AsyncGenerator<Stretch<T>> {
  if (from >= before) return;
  const expression = new Expression();
  const id = expression.name('id');
  const keys = `${expression.name('account_id')} = ${expression.value(account)} AND ${id} BETWEEN`;
  const wanted = Object.entries(filter).map(([attribute, value]) => [attribute, '=', value] as const);
  const query = {
    TableName: names[table],
    KeyConditionExpression: `${keys} ${expression.value(from)} AND ${expression.value(before - 1)}`,
    ...(wanted.length > 0 && { FilterExpression: expression.condition({ match: 'all', clauses: wanted }) }),
    ProjectionExpression: expression.projection(attributes),
    ConsistentRead: true,
    ...expression.placeholders(),
  };
  const ask = (start?: Record<string, unknown>): Promise<QueryCommandOutput> => {
    const page = client.send(new QueryCommand({ ...query, ExclusiveStartKey: start }));
    // It may fail before anyone waits for it.
    page.catch(() => {});
    return page;
  };
  for (let next: Promise<QueryCommandOutput> | undefined = ask(); next; ) {
    const { Items = [], LastEvaluatedKey }: QueryCommandOutput = await next;
    next = LastEvaluatedKey && ask(LastEvaluatedKey);
    yield { rows: Items as T[], after: LastEvaluatedKey?.['id'] ?? before - 1 };
  }
}
