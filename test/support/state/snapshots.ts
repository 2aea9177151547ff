import { isDeepStrictEqual } from 'node:util';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { tables } from '#shared/invoicing/tables.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import type { TableName } from '#shared/vocabulary.ts';
import type { RawItem } from '#test/support/engine/raw-reads.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { scan, scanRaw } from './invariants.ts';

/** The items of every table, by table and key. */
export type Snapshot = ReadonlyMap<string, RawItem>;

export const snapshot = async (service: LocalService): Promise<Snapshot> => {
  const names = Object.keys(tables) as TableName[];
  const items = await Promise.all(names.map((table) => scanRaw(service, table)));
  return new Map(names.flatMap((table, i) => (items[i] ?? []).map((item) => [keyOf(table, item), item] as const)));
};

const keyOf = (table: TableName, item: RawItem): string =>
  `${table} ${JSON.stringify(Object.values(tables[table].key).map((name) => item[name]))}`;

/** The items that differ between two snapshots. */
export const changesBetween = (before: Snapshot, after: Snapshot) =>
  [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({ before: before.get(key), after: after.get(key) }))
    .filter((item) => !isDeepStrictEqual(item.before, item.after));

/** A loaded machine does not accept hundreds of connections within the SDK's time limit. */
const MAX_BATCH = 25;

/** Deletes every item of every table. */
export const emptyTables = async (service: LocalService): Promise<void> => {
  for (const table of Object.keys(tables) as TableName[]) {
    const { variable, key } = tables[table];
    const TableName = service.environment[variable];
    const keys = (await scan(service, table)).map((item) =>
      Object.fromEntries(Object.values(key).map((name) => [name, item[name]])),
    );
    for (const batch of batchesOf(keys, MAX_BATCH)) {
      await Promise.all(batch.map((Key) => service.client.send(new DeleteCommand({ TableName, Key }))));
    }
  }
};
