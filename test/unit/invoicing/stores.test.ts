import { expect, test } from '@jest/globals';
import { resources } from '#shared/invoicing/index.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { ResourceName } from '#shared/vocabulary.ts';

const client = createDynamoClient();
const context = { client, tableNames: {} as never };

test('the stores of a declaration: only the stores that it names', () => {
  const stores = createStores(context, { invoices: ['get'], outbox: ['readWaiting'], across: ['due'] })('acct_1');
  expect(Object.keys(stores).sort()).toEqual(['invoices', 'outbox']);
});

test('the stores of an account without a declaration: a store for each resource, and the stores of the platform', () => {
  expect(Object.keys(createStores(context)('acct_1'))).toEqual(
    expect.arrayContaining(['invoices', 'events', 'counters', 'outbox', 'downloads']),
  );
});

test('the table of each resource: has the name of its entry', () => {
  for (const name of Object.keys(resources) as ResourceName[]) expect(tables[name].name).toBe(name);
});
