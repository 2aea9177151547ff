import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type DynamoDBDocumentClient,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import { backoff, MAX_READ_ATTEMPTS } from '#shared/platform/backoff.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { isTransientReason } from '#shared/platform/dynamodb/cancellation.ts';
import { type DynamoContext, INCOMPLETE } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { NamedTable } from '#shared/platform/dynamodb/table.ts';
import { readRow } from '#shared/platform/dynamodb/table.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';

/** DynamoDB's limit for one BatchGetItem. */
const MAX_BATCH_KEYS = 100;

/** Reads the existing rows among these ids. */
export const findRows = async <T extends Entity>(
  { client, tableNames }: DynamoContext,
  table: NamedTable,
  account_id: string,
  ids: readonly number[],
  attributes?: readonly string[],
): Promise<ReadonlyMap<number, T>> => {
  const rows = new Map<number, T>();
  const name = tableNames[table.name];
  for (const batch of batchesOf([...new Set(ids)], MAX_BATCH_KEYS)) {
    const expression = new Expression();
    const Keys = batch.map((id) => ({ account_id, id }));
    const projection = { ...expression.memberProjection(attributes), ...expression.placeholders() };
    let RequestItems: BatchGetCommandInput['RequestItems'] = { [name]: { Keys, ConsistentRead: true, ...projection } };
    for (let attempt = 0; RequestItems && Object.keys(RequestItems).length > 0; attempt++) {
      if (attempt === MAX_READ_ATTEMPTS) throw new ProblemError('unavailable', { detail: INCOMPLETE });
      if (attempt > 0) await backoff(attempt);
      const { Responses, UnprocessedKeys } = await client.send(new BatchGetCommand({ RequestItems }));
      for (const row of (Responses?.[name] ?? []) as T[]) rows.set(row.id, readRow(table, row, attributes));
      RequestItems = UnprocessedKeys as typeof RequestItems;
    }
  }
  return rows;
};

/** Like {@link findRows}, but waits for transactions that are not complete. */
export const findCommittedRows = async <T extends Entity>(
  context: DynamoContext,
  table: NamedTable,
  account_id: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, T>> => {
  const rows: T[] = [];
  for (const batch of batchesOf([...new Set(ids)], MAX_BATCH_KEYS)) {
    const keys = batch.map((id) => ({ account_id, id }));
    const found = await readCommitted(context.client, context.tableNames[table.name], keys);
    for (const row of found) rows.push(row as T);
  }
  return new Map(rows.map((row) => [row.id, readRow(table, row)]));
};

/**
 * Reads up to 100 items. Unlike other reads, this read conflicts with a transaction that is not complete, and then
 * waits.
 */
const readCommitted = async (
  client: DynamoDBDocumentClient,
  TableName: string,
  keys: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> => {
  const TransactItems = keys.map((Key) => ({ Get: { TableName, Key } }));
  for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
    try {
      const { Responses = [] } = await client.send(new TransactGetCommand({ TransactItems }));
      return Responses.flatMap(({ Item }) => Item ?? []);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    await backoff(attempt);
  }
  throw new ProblemError('unavailable', { detail: 'Other requests kept changing the same resources.' });
};

const isConflict = (error: unknown): boolean => {
  const { name, CancellationReasons = [] } = error as Partial<TransactionCanceledException>;
  return name === 'TransactionCanceledException' && CancellationReasons.every(isTransientReason);
};
