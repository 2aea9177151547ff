import {
  BatchGetCommand,
  type BatchGetCommandInput,
  BatchWriteCommand,
  type BatchWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Deployment } from '#infra/operations/deployment.ts';
import { PacedReads } from '#infra/operations/paced-reads.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { backoff } from '#shared/platform/backoff.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** The restored table of `<name>` is `restored-<name>`. */
const PREFIX = 'restored-';

type Row = Record<string, unknown>;
type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

/** DynamoDB's limits for one BatchWriteItem and one BatchGetItem. */
const MAX_BATCH = 25;
const MAX_BATCH_KEYS = 100;

/** Writes until DynamoDB has processed every request. */
const write = async ({ dynamo }: Deployment, table: string, requests: Requests): Promise<void> => {
  for (const batch of batchesOf(requests, MAX_BATCH)) {
    let RequestItems: BatchWriteCommandInput['RequestItems'] = { [table]: batch };
    for (let attempt = 0; RequestItems && Object.keys(RequestItems).length > 0; attempt++) {
      if (attempt > 0) await backoff(attempt);
      RequestItems = (await dynamo.send(new BatchWriteCommand({ RequestItems }))).UnprocessedItems;
    }
  }
};

/** The rows with these keys, without their other attributes. */
const find = async ({ dynamo }: Deployment, table: string, keys: readonly Row[]): Promise<Row[]> => {
  const found: Row[] = [];
  for (const Keys of batchesOf(keys, MAX_BATCH_KEYS)) {
    const expression = new Expression();
    const ProjectionExpression = expression.projection(Object.keys(Keys[0] as Row));
    const request = { Keys, ConsistentRead: true, ProjectionExpression, ...expression.placeholders() };
    let RequestItems: BatchGetCommandInput['RequestItems'] = { [table]: request };
    for (let attempt = 0; RequestItems && Object.keys(RequestItems).length > 0; attempt++) {
      if (attempt > 0) await backoff(attempt);
      const { Responses, UnprocessedKeys } = await dynamo.send(new BatchGetCommand({ RequestItems }));
      found.push(...(Responses?.[table] ?? []));
      RequestItems = UnprocessedKeys as typeof RequestItems;
    }
  }
  return found;
};

/**
 * Gives a table of the deployment the rows of its restored table, and no others. Nothing else may write meanwhile. A
 * repetition continues an interrupted run. The limits of accounts, which last seconds, are not restored.
 * @returns the number of rows
 */
export const replaceRows = async (deployment: Deployment, name: TableName): Promise<number> => {
  const table = deployment.tableNames[name];
  const { partition, sort } = tables[name].key;
  const keyNames = [partition, ...(sort ? [sort] : [])];
  const keyOf = (row: Row): Row => Object.fromEntries(keyNames.map((each) => [each, row[each]]));
  const reads = new PacedReads(deployment);
  let count = 0;
  for await (const rows of reads.scan<Row>({ TableName: PREFIX + table })) {
    count += rows.length;
    const puts = rows.map((Item) => ({ PutRequest: { Item } }));
    await write(deployment, table, puts);
  }
  const expression = new Expression();
  const ProjectionExpression = expression.projection(keyNames);
  for await (const rows of reads.scan<Row>({ TableName: table, ProjectionExpression, ...expression.placeholders() })) {
    const keys = rows.map(keyOf);
    // A set of the keys of all rows could exceed the memory.
    const restored = new Set((await find(deployment, PREFIX + table, keys)).map((row) => JSON.stringify(keyOf(row))));
    const others = keys.filter((key) => !restored.has(JSON.stringify(key)));
    await write(
      deployment,
      table,
      others.map((Key) => ({ DeleteRequest: { Key } })),
    );
  }
  return count;
};

export const RESTORED = (Object.keys(tables) as TableName[]).filter((name) => name !== 'limits');
