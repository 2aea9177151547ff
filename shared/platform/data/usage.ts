import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { isThrottlingError } from '@smithy/core/retry';
import { invocation, type Usage } from '#shared/platform/telemetry/invocation.ts';

const WRITE = /^(Put|Update|Delete|TransactWrite)/;
const THROTTLED = ['ThrottlingError', 'ProvisionedThroughputExceeded', 'RequestLimitExceeded'];

interface CapacityOutput {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

const unitsOf = ({ ConsumedCapacity = [] }: CapacityOutput): number =>
  [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

type SdkFault = Parameters<typeof isThrottlingError>[0] & { CancellationReasons?: readonly { Code?: string }[] };

/** What an attempt failed of: a transaction that was cancelled says so for each of its items. */
const recordFailure = (fault: SdkFault, usage: Usage): void => {
  const codes = fault.CancellationReasons?.map(({ Code }) => Code ?? '') ?? [];
  if (fault.name === 'TransactionConflictException' || codes.includes('TransactionConflict')) usage.conflicts += 1;
  else if (isThrottlingError(fault) || codes.some((code) => THROTTLED.includes(code))) usage.throttles += 1;
};

/** Counts the read units of an answer that the SDK has not taken apart. */
export const recordRead = (units: number): void => {
  const usage = invocation()?.usage;
  if (usage) usage.readUnits += units;
};

/**
 * Has a client count for the present invocation what its calls use. To ask for the consumed units costs none: they
 * are a few bytes of each answer.
 */
export const trackCapacity = (client: DynamoDBDocumentClient): void => {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        const usage = invocation()?.usage;
        if (!usage) return next(call);
        const answer = await next({ ...call, input: { ReturnConsumedCapacity: 'TOTAL', ...call.input } });
        usage[WRITE.test(String(commandName)) ? 'writeUnits' : 'readUnits'] += unitsOf(answer.output as CapacityOutput);
        return answer;
      },
    { step: 'initialize', name: 'consumedUnits' },
  );
  // Beneath the SDK's retries, so that it sees each attempt.
  client.middlewareStack.add(
    (next) => async (call) => {
      const usage = invocation()?.usage;
      if (!usage) return next(call);
      usage.calls += 1;
      try {
        return await next(call);
      } catch (error) {
        recordFailure(error as SdkFault, usage);
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'attempts' },
  );
};
