import { setImmediate as nextTask } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** For how many turns of the event loop no call may be in progress before all of them return. */
const QUIET_TURNS = 10;

/**
 * The length of the longest chain of calls in which each call needs the result of the previous call. Calls that are in
 * progress at the same time return together: otherwise a slow call would seem to be a part of a longer chain.
 */
export const countSequentialTrips = async (
  client: DynamoDBDocumentClient,
  act: () => Promise<unknown>,
): Promise<number> => {
  let trips = 0;
  let running = 0;
  let trip: PromiseWithResolvers<void> | undefined;
  const begin = (): PromiseWithResolvers<void> => {
    trips += 1;
    return Promise.withResolvers();
  };
  const endWhenQuiet = async (): Promise<void> => {
    for (let turn = 0; turn < QUIET_TURNS; turn++) await nextTask();
    if (running > 0) return;
    trip?.resolve();
    trip = undefined;
  };
  client.middlewareStack.add(
    (next) => async (call) => {
      trip ??= begin();
      const { promise } = trip;
      running += 1;
      try {
        return await next(call);
      } finally {
        running -= 1;
        if (running === 0) void endWhenQuiet();
        await promise;
      }
    },
    { step: 'initialize', priority: 'high', name: 'sequentialTrips' },
  );
  await act().finally(() => client.middlewareStack.remove('sequentialTrips'));
  return trips;
};
