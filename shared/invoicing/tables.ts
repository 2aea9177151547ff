import type { Table } from '#shared/platform/data/table.ts';
import type { ResourceEntry } from '#shared/platform/resource.ts';
import { type ResourceName, resources } from './index.ts';

export type TableName = ResourceName | 'counters' | 'idempotency';

/** All combinations of the filters: a list accepts several filters at once, and each combination has an index. */
const combinationsOf = (filters: readonly string[]): string[][] => {
  const all: string[][] = [];
  for (const name of filters) all.push([name], ...all.map((names) => [...names, name].sort()));
  return all;
};

const tableOf = ({ table, variable, noun, filters, due }: ResourceEntry): [string, Table] => {
  const key = { partition: 'account_id', sort: 'id' };
  return [table, { variable, noun, key, indexes: combinationsOf(filters), ...(due && { due }) }];
};

export const tables: Readonly<Record<TableName, Table>> = {
  ...(Object.fromEntries(Object.values(resources).map(tableOf)) as Record<ResourceName, Table>),
  counters: { variable: 'COUNTERS_TABLE', noun: 'counter', key: { partition: 'account_id' }, indexes: [] },
  idempotency: {
    variable: 'IDEMPOTENCY_TABLE',
    noun: 'idempotency record',
    key: { partition: 'key' },
    indexes: [],
    expiry: 'expires_at',
  },
};
