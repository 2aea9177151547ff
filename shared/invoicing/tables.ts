import { nounOf, type ResourceEntry } from '#shared/platform/declarations/resource.ts';
import { createIndex, type Index } from '#shared/platform/dynamodb/table.ts';
import type { StoreTable } from '#shared/platform/store/store.ts';
import type { ResourceName, Scope, TableName } from '#shared/vocabulary.ts';
import { resources } from './index.ts';

const ACCOUNT_KEY = { partition: 'account_id' };

type Indexed = Pick<ResourceEntry, 'indexes' | 'unreadIndexes' | 'sorts' | 'queue'>;

/** The indexes of an entry's table, without the indexes that all accounts share. */
export const toIndexes = ({ indexes, unreadIndexes = [], sorts = [], queue }: Indexed): Index[] => [
  ...[...indexes, ...unreadIndexes].map((filters) => createIndex(filters)),
  ...[...sorts, ...(queue ? [queue] : [])].map(({ by, filters }) => createIndex(filters, by)),
];

const tableOf = (entry: ResourceEntry): [string, StoreTable] => {
  const { table, variable, type, due, expiry, isIndexed, storedBefore, events } = entry;
  const subject = events && { type, ...events };
  const { unique: fields, lookups } = entry;
  const unique = fields && { fields, lookups, type, scope: `${entry.scope}:read` as Scope };
  const names = { name: table as ResourceName, variable, noun: nounOf(entry) };
  const keys = { key: { ...ACCOUNT_KEY, sort: 'id' }, indexes: toIndexes(entry), due };
  return [table, { ...names, ...keys, expiry, isIndexed, storedBefore, subject, unique }];
};

export const tables: Readonly<Record<TableName, Omit<StoreTable, 'name'>> & Record<ResourceName, StoreTable>> = {
  ...(Object.fromEntries(Object.values(resources).map(tableOf)) as Record<ResourceName, StoreTable>),
  outbox: {
    variable: 'OUTBOX_TABLE',
    noun: 'outbox row',
    key: { ...ACCOUNT_KEY, sort: 'id' },
    indexes: [],
    hasStream: true,
  },
  pages: {
    variable: 'PAGES_TABLE',
    noun: 'part of a page index',
    // The partition names the account and the table of a resource: `acct_1#orders`.
    key: { partition: 'collection', sort: 'id' },
    indexes: [],
    due: 'due_at',
  },
  limits: {
    variable: 'LIMITS_TABLE',
    noun: 'limit',
    key: ACCOUNT_KEY,
    indexes: [],
    expiry: 'expires_at',
  },
  counters: { variable: 'COUNTERS_TABLE', noun: 'counter', key: ACCOUNT_KEY, indexes: [] },
  uniqueValues: {
    variable: 'UNIQUE_VALUES_TABLE',
    noun: 'unique value',
    // The value names the type and the field: `order#external_id#A-17`.
    key: { ...ACCOUNT_KEY, sort: 'value', type: 'S' },
    indexes: [],
  },
  idempotency: {
    variable: 'IDEMPOTENCY_TABLE',
    noun: 'idempotency record',
    key: { partition: 'key' },
    indexes: [],
    expiry: 'expires_at',
  },
};
