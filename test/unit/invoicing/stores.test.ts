import { expect, test } from '@jest/globals';
import { createStores } from '#shared/invoicing/stores.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';

const client = createDynamoClient();
const context = { client, tableNames: {} as never };

test('the stores of a declaration: only those that it names', () => {
  const stores = createStores(context, { invoices: ['get'], outbox: ['readWaiting'], across: ['due'] })('acct_1');
  expect(Object.keys(stores).sort()).toEqual(['invoices', 'outbox']);
});

test('the stores of an account without a declaration: one for each resource, and the others', () => {
  expect(Object.keys(createStores(context)('acct_1'))).toEqual(
    expect.arrayContaining(['invoices', 'events', 'counters', 'outbox', 'downloads']),
  );
});

test('each table: has the name of its entry', () => {
  for (const [name, table] of Object.entries(tables)) expect(table.name).toBe(name);
});
