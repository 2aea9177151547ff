import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import { type TableName, tables } from '#shared/data/tables.ts';
import type { Service } from './service.ts';

type Item = Record<string, unknown>;

/** Every item of a table, across accounts. */
export const scan = async ({ client, environment }: Service, table: TableName): Promise<Item[]> => {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const TableName = environment[tables[table].variable];
    const page = await client.send(new ScanCommand({ TableName, ExclusiveStartKey: start, ConsistentRead: true }));
    items.push(...(page.Items ?? []));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
};

const number = (item: Item, name: string) => Number(item[name]);
const sum = (items: readonly Item[], name: string) => items.reduce((total, item) => total + number(item, name), 0);

/** Every item of one account in a table. */
export const rowsOf = async (
  { client, environment }: Service,
  table: Exclude<TableName, 'idempotency' | 'counters'>,
  account: string,
): Promise<Item[]> => {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: environment[tables[table].variable],
      KeyConditionExpression: 'account_id = :account',
      ExpressionAttributeValues: { ':account': account },
      ConsistentRead: true,
    }),
  );
  return Items;
};

const NOUNS = ['customers', 'invoices', 'items', 'payments', 'refunds'] as const;

/** What holds of the tables at all times, whatever failed or raced, for one account or for all. */
export const checkInvariants = async (service: Service, account?: string): Promise<void> => {
  const all = await Promise.all(
    NOUNS.map((table) => (account === undefined ? scan(service, table) : rowsOf(service, table, account))),
  );
  for (const owner of new Set(all.flat().map((item) => item['account_id']))) {
    checkAccount(all.map((rows) => rows.filter((item) => item['account_id'] === owner)));
  }
};

const checkAccount = (rows: Item[][]): void => {
  const [customers, invoices, items, payments, refunds] = rows as [Item[], Item[], Item[], Item[], Item[]];
  for (const customer of customers) {
    const named = invoices.filter((invoice) => invoice['customer_id'] === customer['id']);
    expect([customer['id'], customer['invoice_count']]).toEqual([customer['id'], named.length]);
  }
  const known = customers.map((customer) => customer['id']);
  for (const invoice of invoices) {
    expect([null, ...known]).toContain(invoice['customer_id']);
    checkInvoice(invoice, items, payments);
  }
  for (const payment of payments) {
    const own = refunds.filter((refund) => refund['payment_id'] === payment['id']);
    const given = sum(own, 'amount_cents');
    expect([payment['id'], payment['amount_refunded_cents']]).toEqual([payment['id'], given]);
    expect(given).toBeLessThanOrEqual(number(payment, 'amount_cents'));
  }
  const ids = invoices.map((invoice) => invoice['id']);
  for (const item of [...items, ...payments]) expect(ids).toContain(item['invoice_id']);
};

/** `amount_paid_cents` = Σ payments ≤ `total_cents`; an itemized total = Σ items; the status agrees with the sums. */
const checkInvoice = (invoice: Item, items: readonly Item[], payments: readonly Item[]): void => {
  const of = (rows: readonly Item[]) => rows.filter((row) => row['invoice_id'] === invoice['id']);
  const [paid, total] = [number(invoice, 'amount_paid_cents'), number(invoice, 'total_cents')];
  expect([invoice['id'], paid]).toEqual([invoice['id'], sum(of(payments), 'amount_cents')]);
  expect(paid).toBeLessThanOrEqual(total);
  if (paid > 0) expect(['open', 'paid']).toContain(invoice['status']);
  if (paid > 0 && paid === total) expect(invoice['status']).toBe('paid');
  expect(invoice['by_status']).toBe(`${invoice['account_id']}#${invoice['status']}`);
  const own = of(items);
  expect(new Set(invoice['item_ids'] as number[])).toEqual(new Set(own.map((item) => item['id'])));
  if (own.length === 0) return;
  const amounts = own.map((item) => number(item, 'quantity') * number(item, 'unit_amount_cents'));
  expect(total).toBe(amounts.reduce((a, b) => a + b, 0));
};
