import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect } from '@jest/globals';
import { type ResourceName, resources } from '#shared/invoicing/index.ts';
import { type TableName, tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/index-key.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';
import type { Resource } from '#shared/platform/resource.ts';
import { type RawItem, readAll } from '#test/support/engine/raw-reads.ts';
import { idsIn } from '#test/support/requests/references.ts';
import { readableResources } from '#test/support/requests/requests.ts';
import type { Service } from '#test/support/service/service.ts';

type Item = Record<string, unknown>;

/** Reads every item of a table, across accounts. */
export const scan = async (service: Service, table: TableName): Promise<Item[]> =>
  (await scanRaw(service, table)).map((item) => unmarshall(item));

export const scanRaw = (service: Service, table: TableName): Promise<RawItem[]> =>
  readAll(service, 'Scan', { TableName: service.environment[tables[table].variable] });

const number = (item: Item, name: string) => Number(item[name]);
const sum = (items: readonly Item[], name: string) => items.reduce((total, item) => total + number(item, name), 0);

/** Reads every item of one account in a table. */
export const rowsOf = async (
  service: Pick<Service, 'client' | 'database' | 'environment'>,
  table: TableName,
  account: string,
): Promise<Item[]> => {
  const items = await readAll(service, 'Query', {
    TableName: service.environment[tables[table].variable],
    KeyConditionExpression: 'account_id = :account',
    ExpressionAttributeValues: { ':account': { S: account } },
  });
  return items.map((item) => unmarshall(item));
};

type Rows = Readonly<Record<ResourceName, readonly Item[]>>;

const TABLES = Object.keys(resources) as ResourceName[];

/** Checks the invariants that the tables must have after any failure or race, for one account or for all. */
export const checkInvariants = async (service: Service, account?: string): Promise<void> => {
  const all = await Promise.all(
    TABLES.map((table) => (account === undefined ? scan(service, table) : rowsOf(service, table, account))),
  );
  const byOwner = all.map((rows) => Map.groupBy(rows, (item) => String(item['account_id'])));
  for (const owner of new Set(byOwner.flatMap((rows) => [...rows.keys()]))) {
    const rows = Object.fromEntries(TABLES.map((table, i) => [table, byOwner[i]?.get(owner) ?? []])) as unknown as Rows;
    for (const table of TABLES) checkIndexes(owner, tables[table], rows[table]);
    for (const resource of readableResources.values()) {
      checkReferences(resource, rows);
      // Includes the rows of workers.
      for (const row of rows[resource.table as ResourceName]) resource.checkRow(row);
    }
    checkSums(rows);
  }
};

/** Every row has exactly the index keys that derive from its attributes. */
const checkIndexes = (account: string, table: Table, rows: readonly Item[]): void => {
  for (const row of rows) {
    const keys = indexKeys(table, account, row);
    expect(Object.keys(keys).map((name) => [row['id'], name, row[name]])).toEqual(
      Object.entries(keys).map(([name, key]) => [row['id'], name, key]),
    );
  }
};

/**
 * Every reference to another resource is null or the id of a row of the same account. An event may outlive its resource,
 * and so may a row that is kept for a fixed time.
 */
const checkReferences = (resource: Resource, rows: Rows): void => {
  if (resource.expiry) return;
  const outliving = Object.values(resource.relations).flatMap(({ via, typeIn }) => (typeIn ? [via] : []));
  const fields = Object.entries(resource.fields.v1).filter(
    ([name, { schema }]) => name !== 'id' && idsIn(schema).includes('') && !outliving.includes(name),
  );
  for (const [name] of fields) {
    const target = readableResources.get(name);
    if (!target) throw new Error(`No endpoint reads a resource by its ${name}.`);
    const known = new Set([null, ...rows[target.table as ResourceName].map(({ id }) => id)]);
    expect(rows[resource.table as ResourceName].filter((row) => !known.has(row[name] as number | null))).toEqual([]);
  }
};

const checkSums = ({ customers, invoices, invoiceItems, payments, refunds }: Rows): void => {
  for (const customer of customers) {
    const own = invoices.filter((invoice) => invoice['customer_id'] === customer['id']);
    expect([customer['id'], customer['invoice_count']]).toEqual([customer['id'], own.length]);
  }
  for (const invoice of invoices) checkInvoice(invoice, invoiceItems, payments);
  for (const payment of payments) {
    const own = refunds.filter((refund) => refund['payment_id'] === payment['id']);
    const refunded = sum(own, 'amount_cents');
    expect([payment['id'], payment['amount_refunded_cents']]).toEqual([payment['id'], refunded]);
    expect(refunded).toBeLessThanOrEqual(number(payment, 'amount_cents'));
  }
};

/** `amount_paid_cents` = Σ payments ≤ `total_cents`; an itemized total = Σ items; the status agrees with the sums. */
const checkInvoice = (invoice: Item, items: readonly Item[], payments: readonly Item[]): void => {
  const of = (rows: readonly Item[]) => rows.filter((row) => row['invoice_id'] === invoice['id']);
  const [paid, total] = [number(invoice, 'amount_paid_cents'), number(invoice, 'total_cents')];
  expect([invoice['id'], paid]).toEqual([invoice['id'], sum(of(payments), 'amount_cents')]);
  expect(paid).toBeLessThanOrEqual(total);
  if (paid > 0) expect(['open', 'paid']).toContain(invoice['status']);
  if (paid > 0 && paid === total) expect(invoice['status']).toBe('paid');
  const own = of(items);
  expect(new Set(invoice['item_ids'] as number[])).toEqual(new Set(own.map((item) => item['id'])));
  if (own.length === 0) return;
  const amounts = own.map((item) => number(item, 'quantity') * number(item, 'unit_amount_cents'));
  expect(total).toBe(amounts.reduce((a, b) => a + b, 0));
};
