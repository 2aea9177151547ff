import { randomUUID } from 'node:crypto';
import type { AttributeValue, CancellationReason } from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type IdempotencyRecord, putRecord } from '#shared/platform/idempotency/record.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { DynamoContext } from './client.ts';
import { backoff } from './client.ts';
import { Expression } from './expression.ts';
import type { ConditionalChange, ConditionFailure, Write } from './write.ts';

/** What became of a commit: done, already done before (the record of that), or why not. */
export type Outcome =
  | { readonly done: true }
  | { readonly replay: IdempotencyRecord }
  | { readonly failed: ConditionFailure };

/**
 * Applies all writes or none, together with the idempotency record of their answer (§4 Idempotency 2, 6).
 * Conflicts, throttling and lost answers are retried until the deadline, always as the very same request, so that
 * one whose answer was lost is not repeated.
 * @param deadline in epoch milliseconds
 * @throws ProblemError `request-in-progress` or `unavailable` past the deadline; the outcome is then unknown
 */
export type Commit = (
  writes: readonly Write[],
  record: IdempotencyRecord | undefined,
  deadline: number,
) => Promise<Outcome>;

type Reason = Pick<CancellationReason, 'Code' | 'Item'>;

const CONDITION = 'ConditionalCheckFailed';
const CONFLICT = 'TransactionConflict';
/** The reasons of a cancelled transaction that a later attempt may not meet. */
const TRANSIENT = [CONFLICT, 'ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded'];

export const createCommit =
  (engine: DynamoContext): Commit =>
  async (writes, record, deadline) => {
    const actions = record ? [putRecord(record), ...writes] : writes;
    if (actions.length === 0) return { done: true };
    const writeId = randomUUID();
    for (let attempt = 1; ; attempt++) {
      const reasons = await submit(engine, actions, writeId, deadline);
      const outcome = interpretReasons(writes, record, reasons, writeId);
      if (outcome) return outcome;
      if (Date.now() >= deadline) {
        const twin = record && reasons[0]?.Code === CONFLICT;
        if (twin)
          throw new ProblemError('request-in-progress', {
            detail: 'Another request with this key is not complete yet.',
          });
        throw new ProblemError('unavailable', { detail: 'Other requests kept changing the same resources.' });
      }
      await backoff(attempt);
    }
  };

/**
 * Reads DynamoDB's reasons, which stand in the order of the actions: with a record, reason 0 is the record's and reason
 * i is write i − 1's. Nothing while only a retry can tell.
 */
const interpretReasons = (
  writes: readonly Write[],
  record: IdempotencyRecord | undefined,
  reasons: readonly Reason[],
  writeId: string,
): Outcome | undefined => {
  const failed = reasons.map(({ Code }) => Code !== undefined && Code !== 'None');
  if (!failed.includes(true)) return { done: true };
  if (reasons.some(({ Item }) => Item?.['write_id']?.S === writeId)) return { done: true };
  const first = reasons.findIndex(({ Code }) => Code === CONDITION);
  if (first === -1) return undefined;
  if (record && first === 0) return { replay: storedRecord(reasons[0]?.Item) };
  return { failed: (writes[record ? first - 1 : first] as Write).onConditionFailed };
};

const storedRecord = (item: Record<string, AttributeValue> | undefined): IdempotencyRecord => {
  if (!item) throw new Error('DynamoDB refused the idempotency record without returning the one that it holds.');
  return unmarshall(item) as IdempotencyRecord;
};

/** One attempt: why each write failed, or that none did. A passing fault of the whole call reads as a conflict. */
const submit = async (
  { client, tableNames }: DynamoContext,
  actions: readonly ConditionalChange[],
  writeId: string,
  deadline: number,
): Promise<readonly Reason[]> => {
  const options = { abortSignal: AbortSignal.timeout(Math.max(1, deadline - Date.now())) };
  const [item, ...others] = actions.map((action) => transactItem(action, tableNames[action.table], writeId));
  try {
    if (item?.Put && others.length === 0) await client.send(new PutCommand(item.Put), options);
    else if (item?.Update && others.length === 0) await client.send(new UpdateCommand(item.Update), options);
    else {
      const TransactItems = [item, ...others] as NonNullable<TransactWriteCommandInput['TransactItems']>;
      await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: writeId }), options);
    }
    return [];
  } catch (error) {
    return reasonsOf(error);
  }
};

const reasonsOf = (error: unknown): readonly Reason[] => {
  if (error instanceof ProblemError) return [{ Code: 'ThrottlingError' }];
  const { name, CancellationReasons, Item } = error as Error & { CancellationReasons?: Reason[] } & Reason;
  if (name === 'ConditionalCheckFailedException') return [{ Code: CONDITION, ...(Item && { Item }) }];
  if (name === 'TransactionConflictException') return [{ Code: CONFLICT }];
  const known = (Code: string | undefined) =>
    !Code || Code === 'None' || Code === CONDITION || TRANSIENT.includes(Code);
  if (CancellationReasons?.every(({ Code }) => known(Code))) return CancellationReasons;
  throw error;
};

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * An action as DynamoDB takes it. It stores the commit's `write_id`: a condition that fails on an item with our own
 * means that an earlier attempt, whose response was lost, had succeeded. A counter's update stores none, because it
 * would hide the `write_id` of a change of the item itself; its transaction is known by ClientRequestToken.
 */
const transactItem = (write: ConditionalChange, TableName: string, write_id: string): TransactItem => {
  const expression = new Expression();
  const ConditionExpression = expression.condition(write.condition);
  const common = { TableName, ConditionExpression, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  if ('put' in write) {
    return { Put: { ...common, Item: { ...write.put, write_id }, ...expression.placeholders() } };
  }
  if ('check' in write) return { ConditionCheck: { ...common, Key: write.key, ...expression.placeholders() } };
  if ('remove' in write) return { Delete: { ...common, Key: write.key, ...expression.placeholders() } };
  const UpdateExpression =
    'add' in write
      ? expression.update({ add: write.add })
      : expression.update({ ...write.update, set: { ...write.update.set, write_id } });
  return { Update: { ...common, Key: write.key, UpdateExpression, ...expression.placeholders() } };
};
