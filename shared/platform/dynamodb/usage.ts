import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isThrottlingError } from '@smithy/core/retry';
import { currentInvocation, type Usage } from '#shared/platform/telemetry/invocation.ts';

const WRITE_COMMAND = /^(Put|Update|Delete|TransactWrite|BatchWrite)/;
export const THROTTLING_REASONS = ['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded'];

/** Counts the read units of a response that the SDK does not deserialize. */
export const recordRead = (units: number): void => {
  const usage = currentInvocation()?.usage;
  if (usage) usage.readUnits += units;
};

/** Adds a client's calls and consumed units to the current invocation; DynamoDB reports the units free of charge. */
export const trackCapacity = (client: DynamoDBDocumentClient): void => {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        const usage = currentInvocation()?.usage;
        if (!usage) return next(call);
        const result = await next({ ...call, input: { ReturnConsumedCapacity: 'TOTAL', ...call.input } });
        usage[WRITE_COMMAND.test(String(commandName)) ? 'writeUnits' : 'readUnits'] += unitsOf(
          result.output as CapacityOutput,
        );
        return result;
      },
    { step: 'initialize', name: 'consumedUnits' },
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
};

interface CapacityOutput {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

const unitsOf = ({ ConsumedCapacity = [] }: CapacityOutput): number =>
  [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

type SdkError = Parameters<typeof isThrottlingError>[0] & { CancellationReasons?: readonly { Code?: string }[] };

/** Counts a conflict or a throttle; a cancelled transaction has a reason for each item. */
const recordFailure = (error: SdkError, usage: Usage): void => {
  const codes = error.CancellationReasons?.map(({ Code }) => Code ?? '') ?? [];
  if (error.name === 'TransactionConflictException' || codes.includes('TransactionConflict')) usage.conflicts += 1;
  else if (isThrottlingError(error) || codes.some((code) => THROTTLING_REASONS.includes(code))) usage.throttles += 1;
};
