import type { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { ProblemError } from '#shared/platform/problem.ts';
import { isTransientReason } from './cancellation.ts';
import { backoff, MAX_READ_ATTEMPTS } from './client.ts';

/** Reads up to 100 items. Unlike other reads, it conflicts with a transaction that is not complete, and then waits. */
export const readCommitted = async (
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
