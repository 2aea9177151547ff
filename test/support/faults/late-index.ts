import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/**
 * Makes an index return no keys to the first queries, as if it did not know the last writes yet.
 * @returns ends it
 */
export const delayIndex = (
  { middlewareStack }: DynamoDBDocumentClient,
  index: string,
  queries: number,
): (() => void) => {
  let left = queries;
  middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const { IndexName } = call.input as { readonly IndexName?: string };
      if (IndexName === index && left-- > 0) Object.assign(result.output, { Items: [] });
      return result;
    },
    { step: 'initialize', name: 'late-index' },
  );
  return () => {
    middlewareStack.remove('late-index');
  };
};
