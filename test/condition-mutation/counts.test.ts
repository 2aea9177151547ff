import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TableName } from '#shared/vocabulary.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount, outcome } from '#test/support/service/makers.ts';
import { checkInvariants, rowsOf } from '#test/support/state/invariants.ts';

const service = await startService();
let account_id: string;
let make: Makers;
beforeEach(() => {
  account_id = newAccount();
  make = makers(service, { account: account_id });
});
afterAll(() => service.stop());

/** Deletes a row without updating the rows that depend on it, so that the tables are inconsistent. */
const deleteRow = (TableName: TableName, key: object = {}) =>
  service.client.send(new DeleteCommand({ TableName, Key: { account_id, ...key } }));
const rows = (table: TableName) => rowsOf(service, table, account_id);

describe('a customer that invoices name [CONTRACT §4]', () => {
  test('DELETE while an invoice of the customer is created: 409 customer-in-use', async () => {
    const { id, path } = await make.customer();
    const answer = await interleave(service.client)(
      () => make.invoice({ customer_id: id }),
      () => make.send('DELETE', path),
    );
    expect(outcome(answer)).toEqual([409, 'customer-in-use']);
    await checkInvariants(service, account_id);
  });

  test.each(['POST', 'PATCH', 'PUT'])(
    '%s of an invoice with an unknown customer_id: 404 [CONTRACT §12]',
    async (method) => {
      const path = method === 'POST' ? '/v1/invoices' : (await make.invoice()).path;
      expect(outcome(await make.send(method, path, { customer_id: 1 }))).toEqual([404, 'not-found']);
      expect(await rows('customers')).toEqual([]);
    },
  );
});

test('POST /exports of an account with 20 unfinished exports: 429, and nothing is counted [CONTRACT §10]', async () => {
  const Item = { account_id, unfinished_exports: 20 };
  await service.client.send(new PutCommand({ TableName: 'counters', Item }));
  const answer = await make.send('POST', '/v1/exports', { type: 'customers', format: 'csv' });
  expect(outcome(answer)).toEqual([429, 'too-many-exports']);
  expect(await rows('counters')).toMatchObject([Item]);
});

test('POST /webhook-endpoints of an account with 20 webhook endpoints: 422, and nothing is counted [CONTRACT §15]', async () => {
  const Item = { account_id, webhook_endpoints: 20 };
  await service.client.send(new PutCommand({ TableName: 'counters', Item }));
  const answer = await make.send('POST', '/v1/webhook-endpoints', { url: 'https://example.com/hooks' });
  expect(outcome(answer)).toEqual([422, 'too-many-webhook-endpoints']);
  expect(await rows('counters')).toMatchObject([Item]);
});

describe('inconsistent tables', () => {
  test('DELETE of a webhook endpoint whose account has no counters row: 500, and no counter is written', async () => {
    const { path } = await make.endpoint();
    await deleteRow('counters');
    expect(outcome(await make.send('DELETE', path))).toEqual([500, 'internal-error']);
    expect(await rows('counters')).toEqual([]);
    expect((await make.send('GET', path)).status).toBe(200);
  });

  test.each([
    ['PATCH', { customer_id: null }],
    ['PUT', {}],
    ['DELETE', undefined],
  ])('%s of an invoice whose customer row is missing: 500, and no customer row is written', async (method, body) => {
    const { id } = await make.customer();
    const { path } = await make.invoice({ customer_id: id });
    await deleteRow('customers', { id });
    expect(outcome(await make.send(method, path, body))).toEqual([500, 'internal-error']);
    expect(await rows('customers')).toEqual([]);
    expect((await make.send('GET', path)).json.customer_id).toBe(id);
  });

  test('POST cancel of an export whose account has no counters row: 500, and no counter is written', async () => {
    const { path } = await make.export();
    await deleteRow('counters');
    expect(outcome(await make.send('POST', `${path}/cancel`))).toEqual([500, 'internal-error']);
    expect(await rows('counters')).toEqual([]);
    expect((await make.send('GET', path)).json.status).toBe('pending');
  });

  test('DELETE of an invoice with a missing item row: 503, and the other items stay', async () => {
    const { id, path } = await make.invoice({ total_cents: 0 });
    const [missing] = [await make.item(id), await make.item(id)];
    await deleteRow('invoiceItems', { id: missing.id });
    // The handler runs again until its time is over, because each commit fails.
    const as = { account: account_id };
    expect(outcome(await service.send(path, { method: 'DELETE', remaining: 1200, as }))).toEqual([503, 'unavailable']);
    expect(await rows('invoiceItems')).toHaveLength(1);
  });
});
