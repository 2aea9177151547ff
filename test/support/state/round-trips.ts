import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** The length of the longest chain of calls in which each one began after the end of the one before it. */
export const countSequentialTrips = async (
  client: DynamoDBDocumentClient,
  act: () => Promise<unknown>,
): Promise<number> => {
  let ended = 0;
  let longest = 0;
  client.middlewareStack.add(
    (next) => async (call) => {
      const length = ended + 1;
      longest = Math.max(longest, length);
      return next(call).finally(() => {
        ended = Math.max(ended, length);
      });
    },
    { step: 'initialize', priority: 'high', name: 'sequentialTrips', override: true },
  );
  await act();
  return longest;
};
