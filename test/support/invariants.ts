import { ScanCommand } from '@aws-sdk/lib-dynamodb';
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

/** What holds of the tables at all times, whatever failed or raced. */
export const checkInvariants = async (service: Service): Promise<void> => {
  const [customers, invoices] = await Promise.all([scan(service, 'customers'), scan(service, 'invoices')]);
  const owner = (item: Item, id: unknown) => `${item['account_id']}/${id}`;
  const counts = new Map<string, number>();
  for (const invoice of invoices) {
    if (invoice['customer_id'] === null) continue;
    const key = owner(invoice, invoice['customer_id']);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const stored = customers.map((customer) => [owner(customer, customer['id']), customer['invoice_count']]);
  const expected = customers.map((customer) => [
    owner(customer, customer['id']),
    counts.get(owner(customer, customer['id'])) ?? 0,
  ]);
  expect(stored).toEqual(expected);
  expect([...counts.keys()].filter((key) => !stored.some(([customer]) => customer === key))).toEqual([]);
  for (const invoice of invoices) {
    expect(Number(invoice['amount_paid_cents'])).toBeLessThanOrEqual(Number(invoice['total_cents']));
    expect(invoice['by_status']).toBe(`${invoice['account_id']}#${invoice['status']}`);
  }
};
