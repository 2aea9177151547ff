import { resources } from '#shared/invoicing/index.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { recordPrefix } from '#shared/platform/commit/idempotency.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';
import { partitionsOf } from '#shared/platform/store/page-index/writes.ts';
import type { ResourceName, TableName } from '#shared/vocabulary.ts';

/**
 * A partition with rows of an account. If its key has parts that nobody knows, `key` is the beginning of such keys, and
 * only a scan of the table finds the rows.
 */
interface Place {
  readonly key: string;
  readonly isWhole: boolean;
}

type PlacesOf = (account: string) => readonly Place[];

const partition = (key: string): Place => ({ key, isWhole: true });

const ownPartition: PlacesOf = (account) => [partition(account)];

const RESOURCES = Object.keys(resources) as ResourceName[];

const INDEXED = RESOURCES.filter((name) => (tables[name] as Table).isIndexed);

/** The places of an account's rows in each table. An index has entries only of the rows of its table. */
export const PLACES: Readonly<Record<TableName, PlacesOf>> = {
  ...(Object.fromEntries(RESOURCES.map((name) => [name, ownPartition])) as Record<ResourceName, PlacesOf>),
  outbox: ownPartition,
  limits: ownPartition,
  counters: ownPartition,
  uniqueValues: ownPartition,
  pages: (account) =>
    INDEXED.map((name) => partitionsOf(account, name)).flatMap(({ groups, leaves }) => [groups, leaves].map(partition)),
  idempotency: (account) => [{ key: recordPrefix(account), isWhole: false }],
};
