import { AccountFiles } from '#infra/operations/account/account-files.ts';
import { type CreationRecord, CreationRecords } from '#infra/operations/audit/creation-records.ts';
import type { Deployment } from '#infra/operations/deployment.ts';
import { PacedReads } from '#infra/operations/paced-reads.ts';
import { resources } from '#shared/invoicing/index.ts';
import * as resourcesByTable from '#shared/invoicing/row-checks.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { indexesOf, readRow, type Table } from '#shared/platform/dynamodb/table.ts';
import type { Entity } from '#shared/platform/entity.ts';
import type { Group, LeafRow } from '#shared/platform/store/page-index/leaves.ts';
import type { ResourceName, TableName } from '#shared/vocabulary.ts';

/** A stored row, with its index keys. */
export type Row = Entity & Readonly<Record<string, unknown>>;

export interface StoredPageIndex {
  readonly groups: readonly Group[];
  readonly leaves: readonly LeafRow[];
}

/** Everything that is stored of an account. The reads are not a snapshot. */
export interface AccountState {
  readonly account: string;
  /** When it was read, in RFC 3339. */
  readonly at: string;
  readonly rows: Readonly<Record<ResourceName, readonly Row[]>>;
  readonly outbox: readonly Row[];
  readonly counters: Readonly<Record<string, unknown>> | undefined;
  readonly uniqueValues: readonly { readonly value: string; readonly id: number }[];
  /** The page indexes, by the name of the table. */
  readonly pages: ReadonlyMap<string, StoredPageIndex>;
  readonly records: readonly CreationRecord[];
  /** The sizes in bytes of its files, by the key without the account. */
  readonly files: ReadonlyMap<string, number>;
}

/** Whether nothing is stored of the account. */
export const isEmpty = ({ rows, outbox, counters, uniqueValues, pages, records, files }: AccountState): boolean =>
  [...Object.values(rows), outbox, records, uniqueValues].every(({ length }) => length === 0) &&
  counters === undefined &&
  [...pages.values()].every(({ groups }) => groups.length === 0) &&
  files.size === 0;

export const RESOURCE_NAMES = Object.keys(resources) as ResourceName[];
/** The resource of each table, with its fields. */
export const RESOURCES: Readonly<Record<ResourceName, Pick<Resource, 'fields' | 'checkRow'>>> = resourcesByTable;

/** A field that names a member of another resource. */
export interface Reference {
  readonly table: ResourceName;
  readonly field: string;
  readonly owner: ResourceName;
}

const referencesOf = (table: ResourceName): readonly Reference[] => {
  const entry = resources[table];
  const owners = 'references' in entry ? Object.entries<ResourceName>(entry.references) : [];
  return owners.map(([field, owner]) => ({ table, field, owner }));
};

export const REFERENCES: readonly Reference[] = RESOURCE_NAMES.flatMap(referencesOf);

export const INDEXED_NAMES = RESOURCE_NAMES.filter((name) => tables[name].isIndexed);

/** A row as the handlers read it: without the attributes that the tables add. */
export const memberOf = <T extends Entity>(table: Table, row: T): T => {
  const added = ['account_id', 'write_id', ...indexesOf(table).map(({ partition }) => partition)];
  const sorts = table.indexes.flatMap(({ by, sort }) => (by ? [sort] : []));
  const names = new Set([...added, ...sorts]);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name))) as T;
};

/** Reads the state of accounts, table by table. Only the state of one account is in memory at a time. */
export class AccountReader {
  readonly #deployment: Deployment;
  readonly #reads: PacedReads;
  readonly #account: string | undefined;
  readonly #repairedRecords = new Set<string>();
  #records: CreationRecords | undefined;

  /** @param account the only account to read; all accounts by default */
  constructor(deployment: Deployment, account?: string) {
    this.#deployment = deployment;
    this.#reads = new PacedReads(deployment);
    this.#account = account;
  }

  /** Every account with a row in a table. Each page of a scan skips the rest of its last account. */
  async accounts(): Promise<readonly string[]> {
    if (this.#account !== undefined) return [this.#account];
    const accounts = new Set<string>();
    for (const [name, { key }] of Object.entries<Table>(tables)) {
      if (key.partition !== 'account_id' || name === 'limits') continue;
      const expression = new Expression();
      const ProjectionExpression = expression.projection([key.partition]);
      const input = { TableName: this.#nameOf(name), ProjectionExpression, ...expression.placeholders() };
      const skip = key.sort ? { [key.sort]: key.type === 'S' ? '\u{10ffff}' : Number.MAX_SAFE_INTEGER } : {};
      for await (const rows of this.#reads.scan<{ account_id: string }>(input, (last) => ({ ...last, ...skip })))
        for (const { account_id } of rows) accounts.add(account_id);
    }
    return [...accounts].sort();
  }

  async read(account: string): Promise<AccountState> {
    const at = new Date().toISOString();
    // A record is read before the resource whose creation it answers for, a change before its event, and events after
    // the rows: so the deletion of every missing row is read as a waiting change or as an event.
    const records = await this.#recordsOf(account);
    const rows = {} as Record<ResourceName, readonly Row[]>;
    for (const name of RESOURCE_NAMES) if (name !== 'events') rows[name] = await this.#members(name, account);
    const outbox = await this.#partition('outbox', account);
    rows.events = await this.#members('events', account);
    return {
      account,
      at,
      rows,
      outbox,
      counters: (await this.#partition('counters', account))[0],
      uniqueValues: await this.#partition<AccountState['uniqueValues'][number]>('uniqueValues', account),
      pages: new Map(await Promise.all(INDEXED_NAMES.map((name) => this.#pages(name, account)))),
      records,
      files: await this.#files(account),
    };
  }

  async #members(table: ResourceName, account: string): Promise<Row[]> {
    return (await this.#partition(table, account)).map((row) => readRow<Row>(tables[table], row));
  }

  async #partition<R extends object = Row>(table: TableName, account: string): Promise<R[]> {
    const expression = new Expression();
    const KeyConditionExpression = `${expression.name('account_id')} = ${expression.value(account)}`;
    const rows: R[] = [];
    const input = { TableName: this.#nameOf(table), KeyConditionExpression, ...expression.placeholders() };
    for await (const page of this.#reads.query<R>(input)) for (const row of page) rows.push(row);
    return rows;
  }

  async #pages(table: ResourceName, account: string): Promise<[string, StoredPageIndex]> {
    const { dynamo: client, tableNames } = this.#deployment;
    const { pageIndex } = createStores({ client, tableNames })(account)[table];
    const { groups } = await pageIndex.readGroups();
    return [table, { groups, leaves: await pageIndex.readLeaves(0, Number.MAX_SAFE_INTEGER) }];
  }

  async #recordsOf(account: string): Promise<readonly CreationRecord[]> {
    this.#records ??= await CreationRecords.read(this.#reads, this.#nameOf('idempotency'), this.#account);
    return (await this.#records.of(account)).filter(({ key }) => !this.#repairedRecords.has(key));
  }

  /** The next looks do not have the record, which a repair has deleted. */
  forgetRecord(key: string): void {
    this.#repairedRecords.add(key);
  }

  async close(): Promise<void> {
    await this.#records?.delete();
  }

  async #files(account: string): Promise<Map<string, number>> {
    const files = new Map<string, number>();
    for await (const { name, size } of new AccountFiles(this.#deployment, account).list()) files.set(name, size);
    return files;
  }

  #nameOf(table: string): string {
    return this.#deployment.tableNames[table as TableName];
  }
}
