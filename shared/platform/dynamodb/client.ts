import { type ConsumedCapacity, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry';
import { clientOptions } from '#shared/platform/dynamodb/client-options.ts';
import type { Attributes } from '#shared/platform/dynamodb/expression.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { currentInvocation, type Usage } from '#shared/platform/telemetry/invocation.ts';
import type { TableName } from '#shared/vocabulary.ts';

export interface DynamoContext {
  readonly client: DynamoDBDocumentClient;
  readonly tableNames: Readonly<Record<TableName, string>>;
  readonly bucket?: string;
  /** The read units of one partition in a second, if the engine has another number than DynamoDB. */
  readonly partitionReadUnits?: number | undefined;
  readonly checks?: RowChecks | undefined;
}

/** Checks a row before it is written: all fields, or the fields that need one of these attributes. */
export type CheckRow = (row: Attributes, attributes?: readonly string[]) => void;

/** The resources of the tables whose rows the Lambda writes, and of the events that follow (shared/runtime/settings.ts). */
export type RowChecks = { readonly [Table in TableName]?: { readonly checkRow: CheckRow } };

/** @throws Error in a Lambda that does not write the rows of this table */
export const checkOf = ({ checks }: DynamoContext, table: TableName): CheckRow => {
  const check = checks?.[table];
  if (!check) throw new Error(`The Lambda has no fields of ${table}.`);
  return check.checkRow;
};

/**
 * Creates a DynamoDB document client that throws transient errors as `unavailable`. It adds its calls and consumed units to
 * the current invocation; DynamoDB reports the units free of charge.
 */
export const createDynamoClient = (): DynamoDBDocumentClient => {
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient(clientOptions()),
    // For the marshaller, metadata with a key `constructor` looks like a class instance.
    { marshallOptions: { removeUndefinedValues: true, convertClassInstanceToMap: true } },
  );
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const usage = currentInvocation()?.usage;
        try {
          if (!usage) return await next(call);
          const result = await next({ ...call, input: { ReturnConsumedCapacity: 'TOTAL', ...call.input } });
          const { ConsumedCapacity = [] } = result.output as CapacityOutput;
          const units = [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
          usage[WRITE_COMMAND.test(commandName) ? 'writeUnits' : 'readUnits'] += units;
          return result;
        } catch (cause) {
          if (isTransient(cause))
            throw Object.assign(new ProblemError('unavailable', { detail: INCOMPLETE }), { cause });
          throw cause;
        }
      },
    { step: 'initialize', name: 'calls' },
  );
  // Runs inside the SDK's retries, once for each attempt.
  client.middlewareStack.add(
    (next) => async (call) => {
      const usage = currentInvocation()?.usage;
      if (!usage) return next(call);
      usage.calls += 1;
      try {
        return await next(call);
      } catch (error) {
        recordFailure(error as SdkError, usage);
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'attempts' },
  );
  return client;
};

const ABORTED = 'AbortError';
/** True of each reason: no response, throttling, and a fault of the database. */
export const INCOMPLETE = 'The database did not complete the request.';

/** Whether a later attempt may succeed. The outcome of the failed attempt is unknown. */
const isTransient = (error: unknown): boolean => {
  const sdkError = error as Parameters<typeof isTransientError>[0];
  return (
    sdkError.name === ABORTED || isTransientError(sdkError) || isThrottlingError(sdkError) || isServerError(sdkError)
  );
};

const WRITE_COMMAND = /^(Put|Update|Delete|TransactWrite|BatchWrite)/;
export const THROTTLING_REASONS = ['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded'];

/** Counts the read units of a response that the SDK does not deserialize. */
export const recordRead = (units: number): void => {
  const usage = currentInvocation()?.usage;
  if (usage) usage.readUnits += units;
};

interface CapacityOutput {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

type SdkError = Parameters<typeof isThrottlingError>[0] & { CancellationReasons?: readonly { Code?: string }[] };

/** Counts a conflict or a throttle; a cancelled transaction has a reason for each item. */
const recordFailure = (error: SdkError, usage: Usage): void => {
  const codes = error.CancellationReasons?.map(({ Code }) => Code ?? '') ?? [];
  if (error.name === 'TransactionConflictException' || codes.includes('TransactionConflict')) usage.conflicts += 1;
  else if (isThrottlingError(error) || codes.some((code) => THROTTLING_REASONS.includes(code))) usage.throttles += 1;
};
