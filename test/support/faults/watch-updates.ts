import type { TransactWriteItemsCommandInput, Update } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Calls `act` before each update of a row of an account, with the names of the attributes in the update. */
export const watchUpdates = (
  { middlewareStack }: DynamoDBDocumentClient,
  account: string,
  table: string,
  act: (attributes: readonly string[]) => unknown,
): (() => void) => {
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const { TransactItems = [], ...single } = call.input as Partial<TransactWriteItemsCommandInput>;
        const updates = [...TransactItems.map(({ Update }) => Update), commandName.startsWith('Update') && single];
        for (const { TableName, Key, ExpressionAttributeNames = {} } of updates.filter(Boolean) as Update[])
          if (TableName === table && JSON.stringify(Key).includes(account))
            await act(Object.values(ExpressionAttributeNames));
        return next(call);
      },
    { step: 'initialize', name: 'watch-updates' },
  );
  return () => middlewareStack.remove('watch-updates');
};
