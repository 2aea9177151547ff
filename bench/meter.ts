import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** What a client's calls have used of DynamoDB. */
export interface Usage {
  /** The calls by name, one for each attempt; whoever awaits each before the next makes as many round trips. */
  readonly trips: readonly string[];
  /** Write units that the answers report, of tables and of their indexes. */
  readonly units: number;
  readonly indexUnits: number;
  /** Items of writes that a condition refused: DynamoDB charges for those, too, but its errors do not tell how much. */
  readonly refused: number;
}

interface Answer {
  readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
}

const WRITE = /^(Put|Update|Delete|TransactWrite)/;

const sum = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((total, number = 0) => total + number, 0);

const ofTables = (answer: Answer): ConsumedCapacity[] => [answer.ConsumedCapacity ?? []].flat();

const ofIndexes = ({ GlobalSecondaryIndexes = {} }: ConsumedCapacity): number =>
  sum(Object.values(GlobalSecondaryIndexes).map((index) => index.CapacityUnits));

/** Asks every call of a client for its units; the function takes what was used since it was last called. */
export const meter = (client: DynamoDBDocumentClient): (() => Usage) => {
  let trips: string[] = [];
  let answers: Answer[] = [];
  let refused = 0;
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const isWrite = WRITE.test(String(context.commandName));
      const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
      try {
        const answer = await next({ ...call, input });
        if (isWrite) answers.push(answer.output as Answer);
        return answer;
      } catch (error) {
        if (isWrite) refused += (input as { TransactItems?: unknown[] }).TransactItems?.length ?? 1;
        throw error;
      }
    },
    { step: 'initialize', priority: 'high', name: 'meter' },
  );
  client.middlewareStack.add(
    (next, context) => (call) => {
      trips.push(String(context.commandName).replace('Command', ''));
      return next(call);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'trips' },
  );
  return () => {
    const all = answers.flatMap(ofTables);
    const usage = { trips, units: sum(all.map((one) => one.Table?.CapacityUnits)), refused };
    const indexUnits = sum(all.map(ofIndexes));
    [trips, answers, refused] = [[], [], 0];
    return { ...usage, indexUnits };
  };
};

/** Makes every round trip of a client take so much longer. */
export const delay = (client: DynamoDBDocumentClient, milliseconds: number): void =>
  client.middlewareStack.add(
    (next) => async (call) => {
      await sleep(milliseconds);
      return next(call);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'delay' },
  );

/** Notes how long each of a client's calls takes, in microseconds, by its command. */
export const stopwatch = (client: DynamoDBDocumentClient): Map<string, number[]> => {
  const taken = new Map<string, number[]>();
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const before = performance.now();
      const answer = await next(call);
      const command = String(context.commandName).replace('Command', '');
      const microseconds = (performance.now() - before) * 1000;
      if (taken.get(command)?.push(microseconds) === undefined) taken.set(command, [microseconds]);
      return answer;
    },
    { step: 'initialize', priority: 'high', name: 'stopwatch' },
  );
  return taken;
};
