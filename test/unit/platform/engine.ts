import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { createTables, tableVariables } from '#local/engines/tables.ts';
import type { Customer } from '#shared/invoicing/customers/rules.ts';
import { createInvoice, DEFAULT_TERMS, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import * as CHECKS from '#shared/invoicing/row-checks.ts';
import { createStores, type Stores } from '#shared/invoicing/stores.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { createCommit } from '#shared/platform/commit/commit.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import { createDynamoClient, type DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import type { Entity, VersionedId } from '#shared/platform/entity.ts';
import type { Page, PageRequest, Removable } from '#shared/platform/store/page.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { startTestDynamo } from '#test/support/engine/dynamo.ts';
import { makePatient, PATIENCE_MS } from '#test/support/engine/patience.ts';

/** Stores on an embedded engine of their own. */
export interface Data {
  readonly client: DynamoDBDocumentClient;
  readonly engine: DynamoContext;
  /** The number of calls by command. */
  readonly calls: Map<string, number>;
  stores(account: string): Stores;
  /** Commits the writes of a store. Throws when a condition fails. */
  commit(...writes: readonly Write[]): Promise<void>;
  /** Removes a member; repeats it when another write changes the same items. */
  remove<T extends Entity>(store: Pick<Store<T, Removable>, 'getForRemoval' | 'remove'>, id: number): Promise<void>;
  /** Puts an item without any rule or condition. */
  put(table: TableName, account: string, row: object): Promise<void>;
  stop(): Promise<void>;
}

export const startData = async (): Promise<Data> => {
  const running = await startTestDynamo();
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = running.endpoint;
  await createTables(running.endpoint);
  const client = makePatient(createDynamoClient());
  const calls = new Map<string, number>();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) => {
        calls.set(commandName, (calls.get(commandName) ?? 0) + 1);
        return next(call);
      },
    { step: 'initialize', name: 'count-calls' },
  );
  const tableNames = Object.fromEntries(
    Object.values(tableVariables()).map((name) => [name, name]),
  ) as DynamoContext['tableNames'];
  const engine: DynamoContext = { client, tableNames, checks: CHECKS };
  const submit = createCommit(engine);
  return {
    client,
    engine,
    calls,
    stores: createStores(engine),
    async commit(...writes) {
      const outcome = await submit({ writes, deadline: Date.now() + PATIENCE_MS });
      if (!('done' in outcome)) throw new Error(`The writes were not committed: ${JSON.stringify(outcome)}.`);
    },
    async remove(store, id) {
      const attempt = async () =>
        submit({ writes: store.remove(await store.getForRemoval(id)), deadline: Date.now() + PATIENCE_MS });
      while (!('done' in (await attempt())));
    },
    async put(table, account_id, row) {
      await client.send(new PutCommand({ TableName: tableNames[table], Item: { account_id, ...row } }));
    },
    async stop() {
      client.destroy();
      await running.stop();
    },
  };
};

const AT = '2026-11-21T09:30:00.000Z';

export const invoice = (id: number, some: Partial<Invoice> = {}): Invoice => ({
  ...createInvoice(DEFAULT_TERMS, { id, at: AT }),
  ...some,
});

export const customer = (id: number, some: Partial<Customer> = {}): Customer => ({
  id,
  version: 1,
  created_at: AT,
  updated_at: AT,
  name: 'Ann',
  external_id: null,
  email: null,
  tax_id: null,
  address: null,
  metadata: {},
  invoice_count: 0,
  invoice_count_changes: 0,
  ...some,
});

/** The item of an invoice with the index keys of an earlier state, as a lagging index shows it. */
export const staleItem = (account: string, now: Invoice, indexed: Partial<Invoice>): object => ({
  ...now,
  ...indexKeys(tables.invoices, account, { ...now, ...indexed }),
});

export const idsOf = (page: { rows: readonly VersionedId[] }): number[] => page.rows.map(({ id }) => id);

export type List = (request: PageRequest) => Promise<Page<VersionedId>>;

/** Follows the cursor to the end and returns the ids of each page. */
export const walk = async (
  list: List,
  request: Omit<Extract<PageRequest, { style: 'cursor' }>, 'style' | 'after'>,
  between: (page: readonly number[]) => Promise<unknown> = async () => undefined,
): Promise<number[][]> => {
  const pages: number[][] = [];
  let after: number | undefined;
  let date: string | undefined;
  for (let more = true; more; ) {
    const sort = request.sort && { ...request.sort, after: date };
    const page = await list({ ...request, style: 'cursor', after, sort });
    const ids = idsOf(page);
    if (sort) date = Reflect.get(page.rows.at(-1) ?? {}, sort.by) ?? date;
    pages.push(ids);
    more = 'has_more' in page && page.has_more;
    after = ids.at(-1) ?? after;
    if (more && ids.length === 0) throw new Error('A page is empty although more rows follow.');
    if (pages.length > 1000) throw new Error('The walk did not end after 1,000 pages.');
    await between(ids);
  }
  return pages;
};
