import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttributeValue, DynamoDBServiceException as ServiceException } from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, type TransactWriteCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { pauseForTurn, pauseForUnits } from '#shared/platform/backoff.ts';
import { CONFLICT, isTransientReason, type Reason } from '#shared/platform/dynamodb/cancellation.ts';
import { checkOf, type DynamoContext, INCOMPLETE } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type IdempotencyRecord, putRecord } from './idempotency.ts';
import { type CommitOrigin, createOutboxWriter } from './outbox-row.ts';
import type { ConditionalChange, ConditionFailure, Write } from './write.ts';

/** `replay`: an earlier commit with the same key; `failed`: the meaning of the first failed condition. */
export type Outcome =
  | { readonly done: true }
  | { readonly replay: IdempotencyRecord }
  | {
      readonly failed: ConditionFailure;
      /** Of the item whose condition failed. */
      readonly id?: number;
    };

interface CommitRequest {
  readonly writes: readonly Write[];
  /** Present when the request has a key. */
  readonly record?: IdempotencyRecord | undefined;
  /** Absent for writes that change no resource. */
  readonly origin?: CommitOrigin;
  /** Whether the caller decides again after a conflict about a version, as after a failed condition. */
  readonly decidesAgain?: boolean;
  /**
   * Whether a commit that DynamoDB has refused can still succeed. The commit asks before it sends again: a failed
   * condition uses units.
   */
  readonly canSucceed?: () => Promise<boolean>;
  /** Only checks the conditions and stores nothing (CONTRACT §13). */
  readonly isDryRun?: boolean;
  /** In epoch milliseconds. */
  readonly deadline: number;
}

/**
 * Applies all writes or none, together with the idempotency record of their response (§4 Idempotency 2, 6) and the row
 * of the outbox with the changes of resources (CONTRACT §14). Until the deadline, it repeats the identical request, so a
 * commit whose response was lost is not applied twice. Only while DynamoDB has refused every attempt, each has an id of its
 * own in the outbox: the feed is in the order of these ids, and thus of the commits.
 *
 *     actions   [ record, write 0, write 1, …, outbox ]
 *     reasons   [ 0,      1,       2,       … ]      so reason i is write i − 1 (without a record: write i)
 *
 *     no reason                                  → done
 *     an item has this commit's `write_id`       → done: an earlier attempt succeeded, its response was lost
 *     first ConditionalCheckFailed: reason 0     → replay the record that the item holds
 *                                   reason i     → failed: the `onConditionFailed` of write i − 1
 *     a conflict about a version, `decidesAgain` → failed: `version-conflict`, if no attempt can have succeeded
 *     it cannot succeed any more, `canSucceed`   → failed: `version-conflict`, if no attempt can have succeeded
 *     only conflicts and throttling              → retry; at the deadline `request-in-progress` if reason 0 is a
 *                                                  conflict, otherwise `unavailable`
 *     any other reason                           → the SDK's error
 *
 * @throws ProblemError `request-in-progress` or `unavailable` at the deadline; the outcome is then unknown
 */
export type Commit = (request: CommitRequest) => Promise<Outcome>;

const CONDITION_FAILED = 'ConditionalCheckFailed';

export const createCommit =
  (context: DynamoContext): Commit =>
  async ({ writes: decided, record, origin, decidesAgain = false, canSucceed, isDryRun = false, deadline }) => {
    if (decided.length === 0 && !record) return { done: true };
    const toOutbox = origin && !isDryRun && createOutboxWriter(decided, origin, () => checkOf(context, 'events'));
    let writes = decided;
    let actions: readonly ConditionalChange[] = [];
    let writeId = '';
    let isRefused = true;
    for (let attempt = 1; ; attempt++) {
      if (isRefused) {
        writes = toOutbox ? [...decided, toOutbox()] : decided;
        const all = record ? [putRecord(record), ...writes] : writes;
        actions = isDryRun ? all.map(toCheck) : all;
        writeId = randomUUID();
      }
      const sentAt = performance.now();
      const { reasons, isFinal } = await submit(context, actions, writeId, deadline);
      isRefused &&= isFinal;
      const outcome = interpretReasons(writes, record, reasons, writeId);
      if (outcome) return outcome;
      const conflicts = actions.filter((_, i) => reasons[i]?.Code === CONFLICT);
      if (decidesAgain && isRefused && conflicts.some(hasVersion)) return { failed: 'version-conflict' };
      const pauseMs = conflicts.length > 0 ? pauseForTurn(attempt, performance.now() - sentAt) : pauseForUnits(attempt);
      // An attempt after the deadline would be aborted, and its outcome unknown.
      if (Date.now() + pauseMs >= deadline)
        throw deadlineProblem(conflicts.length > 0, record !== undefined && reasons[0]?.Code === CONFLICT);
      await sleep(pauseMs);
      if (canSucceed && isRefused && !(await canSucceed())) return { failed: 'version-conflict' };
    }
  };

/** Whether another change of the item makes the condition fail. */
const hasVersion = ({ condition }: ConditionalChange): boolean =>
  condition.clauses.some(([attribute, is]) => attribute === 'version' && is === '=');

const toCheck = ({ table, key, condition }: ConditionalChange): ConditionalChange => ({
  table,
  key,
  condition,
  check: true,
});

const deadlineProblem = (hasConflict: boolean, isRecordInConflict: boolean): ProblemError => {
  if (isRecordInConflict)
    return new ProblemError('request-in-progress', { detail: 'Another request with this key is not complete yet.' });
  const detail = hasConflict ? 'Other requests kept changing the same resources.' : INCOMPLETE;
  return new ProblemError('unavailable', { detail });
};

/** The outcome that the reasons mean (see the table of {@link Commit}); undefined for a retry. */
const interpretReasons = (
  writes: readonly Write[],
  record: IdempotencyRecord | undefined,
  reasons: readonly Reason[],
  writeId: string,
): Outcome | undefined => {
  if (reasons.every(({ Code = 'None' }) => Code === 'None')) return { done: true };
  if (reasons.some(({ Item }) => Item?.['write_id']?.S === writeId)) return { done: true };
  const first = reasons.findIndex(({ Code }) => Code === CONDITION_FAILED);
  if (first === -1) return undefined;
  if (record && first === 0) return { replay: storedRecord(reasons[0]?.Item) };
  const id = reasons[first]?.Item?.['id']?.N;
  const failed = (writes[record ? first - 1 : first] as Write).onConditionFailed;
  return { failed, ...(id && { id: Number(id) }) };
};

const storedRecord = (item: Record<string, AttributeValue> | undefined): IdempotencyRecord => {
  if (!item) throw new Error('DynamoDB refused an idempotency record without returning the stored one.');
  return unmarshall(item) as IdempotencyRecord;
};

interface Submitted {
  /** The reasons why the attempt failed; empty when it succeeded. */
  readonly reasons: readonly Reason[];
  /** Whether DynamoDB has answered every request of the attempt, so that the attempt cannot succeed later. */
  readonly isFinal: boolean;
}

/** Sends one attempt. */
const submit = async (
  { client, tableNames }: DynamoContext,
  actions: readonly ConditionalChange[],
  writeId: string,
  deadline: number,
): Promise<Submitted> => {
  const options = { abortSignal: AbortSignal.timeout(Math.max(1, deadline - Date.now())) };
  const [item, ...others] = actions.map((action) => transactItem(action, tableNames[action.table], writeId));
  try {
    if (item?.Put && others.length === 0) await client.send(new PutCommand(item.Put), options);
    else if (item?.Update && others.length === 0) await client.send(new UpdateCommand(item.Update), options);
    else {
      const TransactItems = [item, ...others] as NonNullable<TransactWriteCommandInput['TransactItems']>;
      await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: writeId }), options);
    }
    return { reasons: [], isFinal: true };
  } catch (error) {
    const { $metadata } = error as Partial<ServiceException>;
    return { reasons: reasonsOf(error), isFinal: $metadata?.attempts === 1 };
  }
};

const reasonsOf = (error: unknown): readonly Reason[] => {
  // The client throws `unavailable` for a transient error of the whole call.
  if (error instanceof ProblemError) return [{ Code: 'ThrottlingError' }];
  const { name, CancellationReasons, Item } = error as Error & { CancellationReasons?: Reason[] } & Reason;
  if (name === 'ConditionalCheckFailedException') return [{ Code: CONDITION_FAILED, ...(Item && { Item }) }];
  if (name === 'TransactionConflictException') return [{ Code: CONFLICT }];
  const isKnown = (reason: Reason) => reason.Code === CONDITION_FAILED || isTransientReason(reason);
  if (CancellationReasons?.every(isKnown)) return CancellationReasons;
  throw error;
};

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Puts and updates store the commit's `write_id`. An update of counters stores none: it would overwrite the `write_id`
 * of a change of the item itself. ClientRequestToken identifies the transaction of an update of counters.
 */
const transactItem = (write: ConditionalChange, TableName: string, write_id: string): TransactItem => {
  const expression = new Expression();
  const ConditionExpression = expression.condition(write.condition);
  const UpdateExpression =
    'add' in write
      ? expression.update({ add: write.add })
      : 'update' in write && expression.update({ ...write.update, set: { ...write.update.set, write_id } });
  const returns = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  const common = { TableName, ConditionExpression, ...returns, ...expression.placeholders() };
  if ('put' in write) return { Put: { ...common, Item: { ...write.put, write_id } } };
  const item = { ...common, Key: write.key };
  if (UpdateExpression) return { Update: { ...item, UpdateExpression } };
  return 'check' in write ? { ConditionCheck: item } : { Delete: item };
};
