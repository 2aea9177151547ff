import { BatchWriteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import seal from '#functions/workers/seal.ts';
import { resources } from '#shared/invoicing/index.ts';
import { stores } from '#shared/invoicing/stores.ts';
import type { TableName } from '#shared/invoicing/tables.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { createS3Client } from '#shared/platform/files/bucket.ts';
import { createId, timeOf } from '#shared/platform/id.ts';
import { GROUP_LEAVES } from '#shared/platform/page-index/leaves.ts';
import type { PageIndex } from '#shared/platform/page-index/page-index.ts';
import { sealTail } from '#shared/platform/page-index/seal.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { ScheduledWorker, WorkerContext } from '#shared/platform/worker.ts';
import { tableNames } from '#shared/runtime/settings.ts';
import type { Service } from '#test/support/service/service.ts';
import { rowsOf } from './invariants.ts';

const WAIT_MS = 5000;

/** The worker that seals, in the process of the test. */
export interface Sealer {
  /** @param remaining time of the run, in milliseconds */
  run(remaining?: () => number): Promise<void>;
  /** Seals only the tail of a collection, as one of several concurrent runs. */
  seal(account: string, table: Indexed): Promise<void>;
  /** The page index of a collection of an account. */
  index(account: string, table: Indexed): PageIndex;
  readonly reports: [message: string, fields: object][];
  readonly counts: [metric: string, value: number | undefined][];
}

type Indexed = 'customers' | 'invoices' | 'events' | 'payments';

/** @param later added to the clock of the worker, in milliseconds */
export const createSealer = ({ client, environment }: Pick<Service, 'client' | 'environment'>, later = 0): Sealer => {
  const context = { client, tableNames: tableNames(environment, seal) };
  const across = new CrossAccountQueries(context, createS3Client(), 'none', new AbortController().signal);
  const accounts = { across, storesOf: (account: string) => stores(context, account) };
  const commit = createCommit(context);
  const reports: Sealer['reports'] = [];
  const counts: Sealer['counts'] = [];
  const workerContext: Omit<WorkerContext, 'send' | 'newId'> = {
    settings: { webhookAddresses: { allowsLocal: false } },
    now: () => new Date(Date.now() + later).toISOString(),
    remaining: () => 60_000,
    report: (message, fields) => reports.push([message, fields]),
    count: (metric, value) => counts.push([metric, value]),
    commit: async (decide) => 'done' in (await commit({ writes: decide(), deadline: Date.now() + WAIT_MS })),
  };
  return {
    reports,
    counts,
    index: (account, table) => stores(context, account)[table].pageIndex,
    async run(remaining = workerContext.remaining) {
      const run = { ...workerContext, remaining } as WorkerContext;
      await (seal as unknown as ScheduledWorker<typeof accounts>).handle(run, accounts);
    },
    async seal(account, table) {
      await sealTail(stores(context, account)[table], workerContext);
    },
  };
};

/** Puts customers whose ids are a second apart, long ago, and returns the ids. */
export const putOldCustomers = async (
  service: Pick<Service, 'client' | 'environment'>,
  account_id: string,
  count: number,
): Promise<number[]> => {
  const first = Date.now() - 1000 * (count + 100);
  const ids = Array.from({ length: count }, (_, i) => createId(new Date(first + i * 1000).toISOString(), i % 4096));
  await putCustomers(service, account_id, ids);
  return ids;
};

/** Puts customers with these ids, without any rule or condition. */
export const putCustomers = async (
  { client, environment }: Pick<Service, 'client' | 'environment'>,
  account_id: string,
  ids: readonly number[],
): Promise<void> => {
  const table = environment['CUSTOMERS_TABLE'] as string;
  for (let i = 0; i < ids.length; i += 25) {
    const puts = ids.slice(i, i + 25).map((id) => ({ PutRequest: { Item: { account_id, ...customer(id) } } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
  }
};

/** Stores an index in which these rows are in the last leaf of a full group, and no row is left in the others. */
export const putFullGroup = async (
  { client, environment }: Pick<Service, 'client' | 'environment'>,
  account: string,
  table: Indexed,
  ids: readonly number[],
): Promise<void> => {
  const end = Math.max(...ids);
  const empty = Object.fromEntries(Array.from({ length: GROUP_LEAVES - 1 }, (_, i) => [i + 1, 0]));
  const collection = `${account}#${table}`;
  const rows = [
    { collection, id: 0, end, rows: ids.length, deletes: 0 },
    { collection: `${collection}#leaves`, id: 0, end, ...empty, [GROUP_LEAVES]: ids.length },
  ];
  for (const Item of rows) await client.send(new PutCommand({ TableName: environment['PAGES_TABLE'], Item }));
};

const customer = (id: number) => {
  const at = timeOf(id);
  const state = { name: 'Ada', email: null, tax_id: null, address: null, metadata: {}, invoice_count: 0 };
  return { id, version: 1, created_at: at, updated_at: at, ...state } satisfies Entity & object;
};

/** Reads the rows of a page index, and checks that they count exactly the rows of the table that are sealed. */
export const checkPageIndex = async (service: Service, account: string, table: TableName): Promise<number> => {
  const ids = (await rowsOf(service, table, account)).map(({ id }) => id as number);
  const groups = (await indexRows(service, `${account}#${table}`)).filter(({ id }) => id >= 0);
  const leaves = await indexRows(service, `${account}#${table}#leaves`);
  const countIn = (from: number, before: number) => ids.filter((id) => id >= from && id < before).length;
  let end = -1;
  for (const group of groups) {
    expect([table, group.id]).toEqual([table, end + 1]);
    end = group['end'] as number;
    expect([table, group.id, group['rows']]).toEqual([table, group.id, countIn(group.id, end + 1)]);
    expect('closed' in group).toBe(group !== groups.at(-1));
    if (end === 0) continue;
    const own = leaves.find(({ id }) => id === group.id) ?? { end: 0 };
    expect(own['end']).toBe(end);
    const starts = Object.keys(own)
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
    const counted = starts.map((from, i) => [from, countIn(from, starts[i + 1] ?? end + 1)]);
    expect([table, group.id, starts.map((from) => [from, Reflect.get(own, String(from))])]).toEqual([
      table,
      group.id,
      counted,
    ]);
  }
  return countIn(0, end + 1);
};

type IndexRow = Readonly<Record<string, unknown>> & { readonly id: number };

/** The stored rows of a partition of a page index. */
export const indexRows = async ({ client, environment }: Service, collection: string): Promise<IndexRow[]> => {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: environment['PAGES_TABLE'],
      KeyConditionExpression: '#collection = :collection',
      // A reserved word of DynamoDB.
      ExpressionAttributeNames: { '#collection': 'collection' },
      ExpressionAttributeValues: { ':collection': collection },
      ConsistentRead: true,
    }),
  );
  return Items as IndexRow[];
};

/** The indexed resources. */
export const INDEXED_TABLES = Object.values(resources).flatMap((entry) => ('isIndexed' in entry ? [entry.table] : []));
