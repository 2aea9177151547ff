import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { backfill, type RowKey } from '#infra/operations/backfill.ts';
import type { Deployment } from '#infra/operations/deployment.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import { interrupt } from '#test/support/faults/interleave.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

const service = await startService();
afterAll(() => service.stop());

let make: Makers;
beforeEach(() => {
  make = makers(service, { account: newAccount() });
});

const TableName = service.environment['INVOICES_TABLE'];
const tableNames = { invoices: TableName } as Deployment['tableNames'];

/** Creates an invoice as it was stored before its indexes existed. */
const createOldInvoice = async (): Promise<{ id: number; path: string }> => {
  const invoice = await make.invoice({ due_date: '2026-12-01', customer_id: (await make.customer()).id });
  const keys = Object.keys(indexKeys(tables.invoices, make.account_id, invoice));
  const UpdateExpression = `REMOVE ${keys.join(', ')}`;
  const Key = { account_id: make.account_id, id: invoice.id };
  await service.client.send(new UpdateCommand({ TableName, Key, UpdateExpression }));
  return invoice;
};

const BY_EACH_INDEX = ['status=open', 'status=open&sort=due_date'];
const listed = async (): Promise<number[][]> =>
  Promise.all(BY_EACH_INDEX.map(async (query) => (await make.list(`/v1/invoices?${query}`)).map(({ id }) => id)));

test('a row that is older than its indexes: in none of them, and in all after any change [CONTRACT §4]', async () => {
  const { id, path } = await createOldInvoice();
  expect(await listed()).toEqual([[], []]);
  expect((await make.send('PATCH', path, { description: 'changed' })).status).toBe(200);
  expect(await listed()).toEqual([[id], [id]]);
  await checkInvariants(service, make.account_id);
});

test('npm run backfill: each row gets its index keys, a second run changes nothing, and a run continues after a row', async () => {
  const ids = [(await createOldInvoice()).id, (await make.invoice({ due_date: '2026-12-02' })).id];
  const run = async (after?: RowKey) => {
    let last = { read: 0, changed: 0 };
    for await (const { read, changed } of backfill({ dynamo: service.client, tableNames }, 'invoices', after))
      last = { read, changed };
    return last;
  };
  const first = await run();
  expect(first.changed).toBe(1);
  expect(await listed()).toEqual([ids, ids]);
  expect(await run()).toEqual({ read: first.read, changed: 0 });
  const rest = await run({ account_id: make.account_id, id: ids[0] as number });
  expect(rest.read).toBeLessThan(first.read);
  await checkInvariants(service, make.account_id);
});

test('npm run backfill, and an attribute that changes without the version after its row was read: the keys are those of the new value', async () => {
  const { id } = await createOldInvoice();
  const Key = { account_id: make.account_id, id };
  const before = interrupt(service.client);
  const change = () =>
    service.client.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: 'SET #status = :draft',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':draft': 'draft' },
      }),
    );
  const run = async () => {
    for await (const _ of backfill({ dynamo: service.client, tableNames }, 'invoices'));
  };
  // The second call writes the keys of the only old row.
  expect((await before(2, change, run)).isInterrupted).toBe(true);
  expect((await make.list('/v1/invoices?status=draft')).map((row) => row.id)).toEqual([id]);
  await checkInvariants(service, make.account_id);
});

test('npm run backfill, and a row that is older than an attribute with `storedBefore`: the keys are those of its value', async () => {
  const { id } = await createOldInvoice();
  const Key = { account_id: make.account_id, id };
  const withoutStatus = { UpdateExpression: 'REMOVE #status', ExpressionAttributeNames: { '#status': 'status' } };
  await service.client.send(new UpdateCommand({ TableName, Key, ...withoutStatus }));
  Object.assign(tables.invoices, { storedBefore: { status: 'open' } });
  for await (const _ of backfill({ dynamo: service.client, tableNames }, 'invoices'));
  expect(await listed()).toEqual([[id], [id]]);
});
