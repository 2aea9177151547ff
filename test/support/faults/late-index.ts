import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

type Keys = Readonly<Record<string, unknown>>;

/**
 * Makes an index hide keys from the first queries, as if it did not know the last writes yet.
 * @param isHidden all keys by default
 * @returns ends it
 */
export const delayIndex = (
  { middlewareStack }: DynamoDBDocumentClient,
  index: string,
  queries: number,
  isHidden: (keys: Keys) => boolean = () => true,
): (() => void) => {
  let left = queries;
  middlewareStack.add(
    (next) => async (call) => {
      const result = await next(call);
      const { IndexName } = call.input as { readonly IndexName?: string };
      const { Items = [] } = result.output as { readonly Items?: readonly Keys[] };
      if (IndexName === index && left-- > 0)
        Object.assign(result.output, { Items: Items.filter((keys) => !isHidden(keys)) });
      return result;
    },
    { step: 'initialize', name: 'late-index' },
  );
  return () => {
    middlewareStack.remove('late-index');
  };
};
