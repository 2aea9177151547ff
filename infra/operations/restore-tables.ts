import { isDeepStrictEqual } from 'node:util';
import { DescribeTableCommand, type TableDescription } from '@aws-sdk/client-dynamodb';
import type { Deployment } from '#infra/operations/deployment.ts';
import { OperationError } from '#infra/operations/operation-error.ts';
import { PacedReads } from '#infra/operations/paced-reads.ts';
import { PARTITION_WRITE_UNITS, PacedWrites } from '#infra/operations/paced-writes.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { PARTITION_READ_UNITS } from '#shared/platform/store/pace.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** The tables of a stage that are restored. The limits of accounts last seconds. */
/** The name of a restored table contains the time, so that the tables of two restores have different names. */
export const restoredName = (table: string, time: Date): string =>
  `restored-${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${table}`;

type Row = Record<string, unknown>;

interface Progress {
  /** The rows of the restored table that were written so far. */
  readonly written: number;
  /** The rows of the table that were compared with the restored table so far. */
  readonly compared: number;
}

interface Restore {
  /** To a second, as DynamoDB restores. */
  readonly time: Date;
  /** Whether tables were deleted, and restored from the backup that DynamoDB made at their deletion. */
  readonly isDeleted?: boolean | undefined;
}

/**
 * Checks, before the first write, that each restored table is complete, and is the state of its table at the time.
 * @throws OperationError with all reasons
 */
export const checkRestoredTables = async (deployment: Deployment, restore: Restore): Promise<void> => {
  const problems = await Promise.all(
    RESTORED.map(async (name) => {
      const table = deployment.tableNames[name];
      const names = [table, restoredName(table, restore.time)];
      const [present, restored] = await Promise.all(names.map((each) => describe(deployment, each)));
      const absent = names.filter((_, i) => ![present, restored][i]);
      if (absent.length > 0) return absent.map((each) => `${each} does not exist`);
      const problem = problemOf(restored as TableDescription, present as TableDescription, restore);
      return problem === undefined ? [] : [`${names[1]} ${problem}`];
    }),
  );
  if (problems.flat().length > 0) throw new OperationError(`Nothing was copied: ${problems.flat().join('; ')}.`);
};

const describe = async ({ dynamo }: Deployment, TableName: string): Promise<TableDescription | undefined> => {
  try {
    return (await dynamo.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
};

const problemOf = (
  { TableStatus, RestoreSummary: summary, KeySchema }: TableDescription,
  present: TableDescription,
  { time, isDeleted }: Restore,
): string | undefined => {
  if (TableStatus !== 'ACTIVE' || summary?.RestoreInProgress) return `is not complete (${TableStatus})`;
  if (!isDeepStrictEqual(KeySchema, present.KeySchema)) return 'has another key';
  // DynamoDB gives a backup of a deleted table the time of the deletion, and a table that was created again has another ARN.
  if (summary?.SourceBackupArn) return isDeleted ? undefined : 'comes from a backup, which only --deleted permits';
  if (summary?.SourceTableArn !== present.TableArn) return `comes from ${summary?.SourceTableArn ?? 'no restore'}`;
  const restored = toSecond(summary?.RestoreDateTime);
  return restored === toSecond(time) ? undefined : `is the state of ${restored}, not of ${toSecond(time)}`;
};

/** An operator names a time in seconds; the answer of DynamoDB can have milliseconds. */
const toSecond = (time: Date | undefined): string | undefined => time?.toISOString().replace(/\.\d+/, '');

/**
 * Replaces the rows of a table of the deployment by the rows of another table. Nobody else may write meanwhile, so the
 * copy uses the whole throughput of a partition. A repetition writes the same rows again.
 */
export async function* replaceRows(deployment: Deployment, name: TableName, from: string): AsyncGenerator<Progress> {
  const table = deployment.tableNames[name];
  const { partition, sort } = tables[name].key;
  const keyNames = [partition, ...(sort ? [sort] : [])];
  const keyOf = (row: Row): Row => Object.fromEntries(keyNames.map((each) => [each, row[each]]));
  const reads = new PacedReads(deployment, 2 * PARTITION_READ_UNITS);
  const writes = new PacedWrites(deployment, 2 * PARTITION_WRITE_UNITS);
  let [written, compared] = [0, 0];
  for await (const rows of reads.scan<Row>({ TableName: from })) {
    const puts = rows.map((Item) => ({ PutRequest: { Item } }));
    await writes.write(table, puts);
    written += rows.length;
    yield { written, compared };
  }
  const expression = new Expression();
  const ProjectionExpression = expression.projection(keyNames);
  for await (const rows of reads.scan<Row>({ TableName: table, ProjectionExpression, ...expression.placeholders() })) {
    const keys = rows.map(keyOf);
    // A set of the keys of all rows could exceed the memory.
    const found = await reads.find<Row>(from, keys, keyNames);
    const restored = new Set(found.map((row) => JSON.stringify(keyOf(row))));
    const others = keys.filter((key) => !restored.has(JSON.stringify(key)));
    const deletes = others.map((Key) => ({ DeleteRequest: { Key } }));
    await writes.write(table, deletes);
    compared += rows.length;
    yield { written, compared };
  }
}

export const RESTORED = (Object.keys(tables) as TableName[]).filter((name) => name !== 'limits');
