import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Attributes } from '#shared/platform/commit/write.ts';
import { scanPages } from '#shared/platform/dynamodb/batches.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { indexKeys } from '#shared/platform/dynamodb/index-key.ts';
import type { NamedTable } from '#shared/platform/dynamodb/table.ts';
import { changedAttributes } from './changed-attributes.ts';
import { readRow } from './read-row.ts';

type StoredRow = Attributes & { readonly account_id: string; readonly id: number };

/**
 * Gives each row of a table its index keys: a row that was stored before an index existed lacks them, and those of an
 * index that has changed differ. A change of the row sets only the keys whose attributes change.
 * @returns the number of rows that were changed
 */
export const reindex = async (context: DynamoContext, table: NamedTable): Promise<number> => {
  const TableName = context.tableNames[table.name];
  let changed = 0;
  for await (const rows of scanPages<StoredRow>(context, { TableName }))
    for (const row of rows) if (await setKeys(context, table, row)) changed += 1;
  return changed;
};

/** Begins again with the present row if the row has changed since it was read. */
const setKeys = async (context: DynamoContext, table: NamedTable, row: StoredRow): Promise<boolean> => {
  const { set, remove } = changedAttributes(row, indexKeys(table, row.account_id, readRow(table, row)));
  if (Object.keys(set).length + remove.length === 0) return false;
  const expression = new Expression();
  const target = {
    TableName: context.tableNames[table.name],
    Key: { account_id: row.account_id, id: row.id },
  };
  const command = new UpdateCommand({
    ...target,
    UpdateExpression: expression.update({ set, remove }),
    ConditionExpression: expression.condition({ match: 'all', clauses: [['version', '=', row['version']]] }),
    ...expression.placeholders(),
  });
  try {
    await context.client.send(command);
    return true;
  } catch (error) {
    if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
    const { Item } = await context.client.send(new GetCommand({ ...target, ConsistentRead: true }));
    return Item !== undefined && setKeys(context, table, Item as StoredRow);
  }
};
