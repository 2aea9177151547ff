import type { Deployment } from '#infra/operations/deployment.ts';
import { PacedReads } from '#infra/operations/paced-reads.ts';
import { PARTITION_WRITE_UNITS, PacedWrites } from '#infra/operations/paced-writes.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { PARTITION_READ_UNITS } from '#shared/platform/store/pace.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** The restored table of `<name>` is `restored-<name>`. */
const PREFIX = 'restored-';

type Row = Record<string, unknown>;

interface Progress {
  /** The rows of the restored table that were written so far. */
  readonly written: number;
  /** The rows of the table that were compared with the restored table so far. */
  readonly compared: number;
}

/**
 * Gives a table of the deployment the rows of its restored table, and no others. Nothing else may write meanwhile, so it uses
 * the whole throughput of a partition. A repetition writes the same rows again. The limits of accounts, which last seconds,
 * are not restored.
 */
export async function* replaceRows(deployment: Deployment, name: TableName): AsyncGenerator<Progress> {
  const table = deployment.tableNames[name];
  const { partition, sort } = tables[name].key;
  const keyNames = [partition, ...(sort ? [sort] : [])];
  const keyOf = (row: Row): Row => Object.fromEntries(keyNames.map((each) => [each, row[each]]));
  const reads = new PacedReads(deployment, 2 * PARTITION_READ_UNITS);
  const writes = new PacedWrites(deployment, 2 * PARTITION_WRITE_UNITS);
  let [written, compared] = [0, 0];
  for await (const rows of reads.scan<Row>({ TableName: PREFIX + table })) {
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
    const found = await reads.find<Row>(PREFIX + table, keys, keyNames);
    const restored = new Set(found.map((row) => JSON.stringify(keyOf(row))));
    const others = keys.filter((key) => !restored.has(JSON.stringify(key)));
    const deletes = others.map((Key) => ({ DeleteRequest: { Key } }));
    await writes.write(table, deletes);
    compared += rows.length;
    yield { written, compared };
  }
}

export const RESTORED = (Object.keys(tables) as TableName[]).filter((name) => name !== 'limits');
