import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The use of DynamoDB by a client. */
export interface Usage {
  /** The names of the calls, including retries. Each is a round trip if the calls are sequential. */
  readonly roundTrips: readonly string[];
  readonly writeUnits: number;
  readonly indexWriteUnits: number;
  /** Items of writes that a condition rejected. DynamoDB charges for them too, but its errors do not report the units. */
  readonly rejectedItems: number;
}

/** Requests the units of every call of a client. The returned function returns the usage since its last call. */
export const trackUsage = (client: DynamoDBDocumentClient): (() => Usage) => {
  let roundTrips: string[] = [];
  let outputs: WriteOutput[] = [];
  let rejectedItems = 0;
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const isWrite = WRITE.test(String(context.commandName));
      const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
      try {
        const response = await next({ ...call, input });
        if (isWrite) outputs.push(response.output as WriteOutput);
        return response;
      } catch (error) {
        if (isWrite) rejectedItems += (input as { TransactItems?: unknown[] }).TransactItems?.length ?? 1;
        throw error;
      }
    },
    { step: 'initialize', priority: 'high', name: 'usage' },
  );
  client.middlewareStack.add(
    (next, context) => (call) => {
      roundTrips.push(String(context.commandName).replace('Command', ''));
      return next(call);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'round-trips' },
  );
  return () => {
    const usage = { roundTrips, rejectedItems, ...unitsOf(outputs) };
    [roundTrips, outputs, rejectedItems] = [[], [], 0];
    return usage;
  };
};

interface WriteOutput {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

const WRITE = /^(Put|Update|Delete|TransactWrite|BatchWrite)/;

const unitsOf = (outputs: readonly WriteOutput[]): Pick<Usage, 'writeUnits' | 'indexWriteUnits'> => {
  const capacities = outputs.flatMap(({ ConsumedCapacity }) => ConsumedCapacity ?? []);
  const indexes = capacities.flatMap(({ GlobalSecondaryIndexes = {} }) => Object.values(GlobalSecondaryIndexes));
  return {
    writeUnits: sum(capacities.map(({ Table }) => Table?.CapacityUnits)),
    indexWriteUnits: sum(indexes.map(({ CapacityUnits }) => CapacityUnits)),
  };
};

const sum = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((total, number = 0) => total + number, 0);
