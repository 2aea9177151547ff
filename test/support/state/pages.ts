import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import seal, { METRICS } from '#functions/workers/seal.ts';
import { pages } from '#infra/operations/audit/page-checks.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { createS3Client } from '#shared/platform/files/files.ts';
import { createId, timeOf } from '#shared/platform/id.ts';
import { type IndexedAccounts, sealInRounds, sealRequested, sealTail } from '#shared/platform/jobs/seal.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import { GROUP_LEAVES } from '#shared/platform/store/page-index/leaves.ts';
import type { PageIndex } from '#shared/platform/store/page-index/page-index.ts';
import { activationWrites } from '#shared/platform/store/page-index/writes.ts';
import { tableNames } from '#shared/runtime/settings.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { PATIENCE_MS } from '#test/support/engine/patience.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { expectNone, rowsOf, stateWith } from './invariants.ts';
import { putRows } from './put-rows.ts';

/** The worker that seals, in the process of the test. */
export interface Sealer {
  /** Activates the indexes to seal, as if the first run was long ago, and runs one round. */
  run(): Promise<void>;
  activate(): Promise<void>;
  /** @param remaining time of the round, in milliseconds */
  runRound(remaining?: () => number): Promise<void>;
  /** Runs rounds like a run of the worker, until the signal is aborted. */
  runRounds(stop: AbortSignal): Promise<void>;
  /** Seals only the tail of a collection, as one of several concurrent runs. */
  seal(account: string, table: Indexed): Promise<void>;
  /** The page index of a collection of an account. */
  index(account: string, table: Indexed): PageIndex;
  readonly reports: [message: string, fields: object][];
  readonly counts: [metric: string, value: number | undefined][];
}

type Indexed = 'customers' | 'invoices' | 'events' | 'payments';

/** @param later added to the clock of the worker, in milliseconds */
export const createSealer = (
  { client, environment }: Pick<LocalService, 'client' | 'environment'>,
  later = 0,
): Sealer => {
  const context = { client, tableNames: tableNames(environment, seal) };
  const across = new CrossAccountQueries(context, createS3Client(), 'none', new AbortController().signal);
  const storesOf = createStores(context);
  const accounts = { across, storesOf };
  const commit = createCommit(context);
  const reports: Sealer['reports'] = [];
  const counts: Sealer['counts'] = [];
  const workerContext: Omit<WorkerContext, 'send' | 'newId'> = {
    settings: { webhookAddresses: { allowsLocal: false } },
    now: () => new Date(Date.now() + later).toISOString(),
    remaining: () => 60_000,
    report: (message, fields) => reports.push([message, fields]),
    count: (metric, value) => counts.push([metric, value]),
    commit: async (decide) => 'done' in (await commit({ writes: decide(), deadline: Date.now() + PATIENCE_MS })),
  };
  return {
    reports,
    counts,
    index: (account, table) => storesOf(account)[table].pageIndex,
    async run() {
      await this.activate();
      await this.runRound();
    },
    async activate() {
      for await (const { collection } of across.due<{ collection: string }>('pages', Number.MAX_SAFE_INTEGER)) {
        const partitions = { groups: collection, leaves: `${collection}#leaves` };
        await workerContext.commit(() => activationWrites(partitions, 0));
      }
    },
    async runRound(remaining = workerContext.remaining) {
      const run = { ...workerContext, remaining } as WorkerContext;
      await sealRequested(run, accounts as unknown as IndexedAccounts, METRICS);
    },
    runRounds: (stop) =>
      sealInRounds({ ...workerContext, stop } as WorkerContext, accounts as unknown as IndexedAccounts, METRICS),
    async seal(account, table) {
      await sealTail(storesOf(account)[table], workerContext);
    },
  };
};

/** Puts customers whose ids are a second apart, long ago, and returns the ids. */
export const putOldCustomers = async (
  service: Pick<LocalService, 'client' | 'environment'>,
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
  { client, environment }: Pick<LocalService, 'client' | 'environment'>,
  account_id: string,
  ids: readonly number[],
): Promise<void> => {
  const rows = ids.map((id) => ({ account_id, ...customer(id) }));
  await putRows(client, environment['CUSTOMERS_TABLE'] as string, rows);
};

/** Stores an index in which these rows are in the last leaf of a full group, and no other leaf has a row. */
export const putFullGroup = async (
  { client, environment }: Pick<LocalService, 'client' | 'environment'>,
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

/** Checks that a page index counts exactly the rows of the table that are sealed; returns how many. */
export const checkPageIndex = async (service: LocalService, account: string, table: TableName): Promise<number> => {
  const { client, environment } = service;
  const rows = await rowsOf(service, table, account);
  const { pageIndex } = createStores({ client, tableNames: tableNames(environment, seal) })(account)[table as Indexed];
  const { groups } = await pageIndex.readGroups();
  const leaves = await pageIndex.readLeaves(0, Number.MAX_SAFE_INTEGER);
  expectNone([pages], stateWith(account, { [table]: rows }, { pages: new Map([[table, { groups, leaves }]]) }));
  const { end = 0 } = groups.at(-1) ?? {};
  return rows.filter(({ id }) => Number(id) <= end).length;
};

type IndexRow = Readonly<Record<string, unknown>> & { readonly id: number };

/** The stored rows of a partition of a page index. */
export const indexRows = async ({ client, environment }: LocalService, collection: string): Promise<IndexRow[]> => {
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
