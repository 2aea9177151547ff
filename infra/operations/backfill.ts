import { GetCommand, type ScanCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { tables } from '#shared/invoicing/tables.ts';
import type { Attributes } from '#shared/platform/dynamodb/expression.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { changedAttributes, indexKeys, readRow } from '#shared/platform/dynamodb/table.ts';
import { Pace } from '#shared/platform/store/pace.ts';
import type { ResourceName } from '#shared/vocabulary.ts';
import type { Deployment } from './deployment.ts';
import { inTurn, PacedReads } from './paced-reads.ts';
import { PARTITION_WRITE_UNITS } from './paced-writes.ts';
import { sourceClauses } from './source-clauses.ts';

/** The key of a row, after which a backfill continues. */
export interface RowKey {
  readonly account_id: string;
  readonly id: number;
}

type StoredRow = Attributes & RowKey;

interface Progress {
  /** The rows read and the rows changed so far. */
  readonly read: number;
  readonly changed: number;
  /** The last row that was read; undefined for a page without rows. */
  readonly last: RowKey | undefined;
}

/**
 * Gives each row of a table its index keys: a row that was stored before an index existed lacks its key, and the key of
 * a changed index differs. Reads and writes use at most half of a partition's throughput.
 * @param after continues after this row
 */
export async function* backfill(
  { dynamo, tableNames }: Pick<Deployment, 'dynamo' | 'tableNames'>,
  name: ResourceName,
  after?: RowKey,
): AsyncGenerator<Progress> {
  const input: ScanCommandInput = { TableName: tableNames[name], ...(after && { ExclusiveStartKey: after }) };
  const pace = new Pace(PARTITION_WRITE_UNITS);
  let [read, changed] = [0, 0];
  for await (const rows of new PacedReads({ dynamo }).scan<StoredRow>(input)) {
    for (const row of rows) if (await setKeys(dynamo, name, input, row, pace)) changed += 1;
    read += rows.length;
    const last = rows.at(-1);
    yield { read, changed, last: last && { account_id: last.account_id, id: last.id } };
  }
}

/** Begins again with the present row if the row has changed since it was read. */
const setKeys = async (
  dynamo: Deployment['dynamo'],
  name: ResourceName,
  { TableName }: Pick<ScanCommandInput, 'TableName'>,
  row: StoredRow,
  pace: Pace,
): Promise<boolean> => {
  const table = tables[name];
  const { set, remove } = changedAttributes(row, indexKeys(table, row.account_id, readRow(table, row)));
  if (Object.keys(set).length + remove.length === 0) return false;
  const expression = new Expression();
  const target = { TableName, Key: { account_id: row.account_id, id: row.id } };
  const command = new UpdateCommand({
    ...target,
    UpdateExpression: expression.update({ set, remove }),
    ConditionExpression: expression.condition({ clauses: sourceClauses(name, row) }),
    ReturnConsumedCapacity: 'TOTAL',
    ...expression.placeholders(),
  });
  try {
    await inTurn(pace, () => dynamo.send(command));
    return true;
  } catch (error) {
    if ((error as Error).name !== 'ConditionalCheckFailedException') throw error;
    const { Item } = await dynamo.send(new GetCommand({ ...target, ConsistentRead: true }));
    return Item !== undefined && setKeys(dynamo, name, { TableName }, Item as StoredRow, pace);
  }
};
