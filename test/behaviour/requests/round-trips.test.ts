import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { type Service, startService } from '#test/support/service/service.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';
import { countSequentialTrips } from '#test/support/state/round-trips.ts';

let service: Service;
let calls: Faults;
let customer_id: number;

beforeAll(async () => {
  service = await startService();
  calls = injectFaults(service.client);
  customer_id = (await service.send('/v1/customers', { method: 'POST', body: { name: 'x' } })).json.id;
  for (let i = 0; i < 30; i++) await service.send('/v1/invoices', { method: 'POST', body: { customer_id } });
});
afterAll(() => service.stop());

const counted = async (target: string, sent = {}): Promise<readonly string[]> => {
  calls.plan();
  const answer = await service.send(target, sent);
  expect(answer.status).toBeLessThan(400);
  return calls.attempts.map((command) => command.replace('Command', ''));
};

const sequentialTrips = (act: () => Promise<unknown>): Promise<number> => countSequentialTrips(service.client, act);

const create = async (body: object = {}) =>
  (await service.send('/v1/invoices', { method: 'POST', body })).headers['location'] as string;

/** The member, and its group and its leaves in the page index; then the transaction. */
const DELETE = ['GetItem', 'Query', 'Query', 'TransactWriteItems'];

describe('round trips to DynamoDB', () => {
  test('GET of a member: 1 round trip; with expand: 2', async () => {
    const path = await create({ customer_id });
    expect(await counted(path)).toEqual(['GetItem']);
    expect(await counted(`${path}?fields=id`)).toEqual(['GetItem']);
    expect(await counted(`${path}?expand=customer`)).toEqual(['GetItem', 'BatchGetItem']);
    expect(await counted(`${await create()}?expand=customer`)).toEqual(['GetItem']);
  });

  test.each([1, 20, 100])('a list with limit=%d: 1 round trip; with expand: 2', async (limit) => {
    expect(await counted(`/v1/invoices?limit=${limit}`)).toEqual(['Query']);
    expect(await counted(`/v1/invoices?limit=${limit}&expand=customer`)).toEqual(['Query', 'BatchGetItem']);
  });

  test.each([1, 20, 100])('a filtered list with limit=%d: 2 round trips, index keys, then rows', async (limit) => {
    expect(await counted(`/v1/invoices?limit=${limit}&status=open`)).toEqual(['Query', 'BatchGetItem']);
    expect(await counted(`/v1/invoices?limit=${limit}&status=paid`)).toEqual(['Query']);
  });

  test('POST with or without a key: 1 round trip, a transaction with the change for the feed', async () => {
    const post = { method: 'POST', body: {} };
    expect(await counted('/v1/invoices', post)).toEqual(['TransactWriteItems']);
    expect(await counted('/v1/invoices', { ...post, body: { customer_id } })).toEqual(['TransactWriteItems']);
    const headers = { 'idempotency-key': randomUUID() };
    expect(await counted('/v1/invoices', { ...post, headers })).toEqual(['TransactWriteItems']);
    expect(await counted('/v1/invoices', { ...post, headers })).toEqual(['TransactWriteItems']);
  });

  test('PATCH, PUT, cancel and DELETE: 2 round trips; a request that changes nothing: 1', async () => {
    const path = await create();
    expect(await counted(path, { method: 'PATCH', body: { description: 'x' } })).toEqual([
      'GetItem',
      'TransactWriteItems',
    ]);
    expect(await counted(path, { method: 'PUT', body: { description: 'y' } })).toEqual([
      'GetItem',
      'TransactWriteItems',
    ]);
    expect(await counted(path, { method: 'PATCH', body: { customer_id } })).toEqual(['GetItem', 'TransactWriteItems']);
    expect(await counted(path, { method: 'PATCH', body: {} })).toEqual(['GetItem']);
    expect(await counted(`${path}/cancel`, { method: 'POST' })).toEqual(['GetItem', 'TransactWriteItems']);
    const remove = async () => expect(await counted(path, { method: 'DELETE' })).toEqual(DELETE);
    expect(await sequentialTrips(remove)).toBe(2);
  });

  test('DELETE of an invoice with items: 3 round trips, because events contain the versions of the items', async () => {
    const path = await create();
    const invoice_id = Number(path.split('/').at(-1));
    const body = { invoice_id, description: 'Work', unit_amount_cents: 5 };
    await service.send('/v1/invoice-items', { method: 'POST', body });
    const trips = [...DELETE.slice(0, -1), 'BatchGetItem', 'TransactWriteItems'];
    const remove = async () => expect(await counted(path, { method: 'DELETE' })).toEqual(trips);
    expect(await sequentialTrips(remove)).toBe(3);
  });

  test('DELETE of an invoice with a customer and 95 items: one transaction of 99 writes [CONTRACT §4]', async () => {
    const path = await create({ customer_id });
    const body = { invoice_id: Number(path.split('/').at(-1)), description: 'Work', unit_amount_cents: 1 };
    for (let i = 0; i < 95; i++)
      expect((await service.send('/v1/invoice-items', { method: 'POST', body })).status).toBe(201);
    const sizes: number[] = [];
    service.client.middlewareStack.add(
      (next) => (call) => {
        const { TransactItems = [] } = call.input as { TransactItems?: object[] };
        if (TransactItems.length > 0) sizes.push(TransactItems.length);
        return next(call);
      },
      { step: 'initialize', name: 'sizes' },
    );
    const deleted = await service.send(path, { method: 'DELETE' });
    service.client.middlewareStack.remove('sizes');
    expect([deleted.status, sizes, await scan(service, 'invoiceItems')]).toEqual([204, [99], []]);
    await checkInvariants(service);
  }, 60_000);

  test('GET /events when nothing waits: 1 sequential round trip for 100 events', async () => {
    const claims = { account_id: 'acct_feed' };
    const post = { method: 'POST', body: { name: 'x' }, claims };
    for (let i = 0; i < 105; i++) await service.send('/v1/customers', post);
    const { json } = await service.send('/v1/events?limit=2', { claims });
    const sequential = async (query: string) => {
      const trips = await sequentialTrips(() => counted(`/v1/events?${query}`, { claims }));
      return { trips, calls: [...calls.attempts] };
    };
    expect(await sequential('limit=100')).toEqual({ trips: 1, calls: ['QueryCommand', 'QueryCommand'] });
    // The outbox, the page, and the event before it.
    const continued = { trips: 1, calls: Array(3).fill('QueryCommand') };
    expect(await sequential(`limit=100&after=${json.next_cursor}`)).toEqual(continued);
    expect((await sequential('limit=100&sort=-id')).trips).toBe(1);
    expect((await sequential('created_from=2026-01-01T00:00:00Z')).trips).toBe(1);
    expect((await sequential('page=1&per_page=100')).trips).toBeLessThanOrEqual(3);
    // The index, then its rows; the latest events come from the table.
    expect((await sequential('type=customer.created')).trips).toBeLessThanOrEqual(2);
  });

  test('GET /events when a change waits: 5 sequential round trips', async () => {
    const claims = { account_id: 'acct_waiting' };
    await service.send('/v1/customers', { method: 'POST', body: { name: 'x' }, claims });
    expect(await sequentialTrips(() => counted('/v1/events', { claims }))).toBe(5);
  });

  test('a request that is refused before its handler: no round trip', async () => {
    calls.plan();
    await service.send('/v1/invoices', { headers: { authorization: undefined } });
    await service.send('/v1/invoices', { method: 'POST', body: { nope: 1 } });
    await service.send('/v1/invoices/abc');
    expect(calls.attempts).toEqual([]);
  });
});
