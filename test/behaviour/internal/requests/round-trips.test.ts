import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';
import { createSealer } from '#test/support/state/pages.ts';
import { countSequentialTrips } from '#test/support/state/round-trips.ts';

let service: LocalService;
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

const LINES = Array.from({ length: 20 }, () => ({ description: 'Work', unit_amount_cents: 1 }));

/** The numbers of actions of the transactions that `act` sends. */
const transactionsOf = async (act: () => Promise<unknown>): Promise<readonly number[]> => {
  const sizes: number[] = [];
  service.client.middlewareStack.add(
    (next) => (call) => {
      const { TransactItems = [] } = call.input as { TransactItems?: object[] };
      if (TransactItems.length > 0) sizes.push(TransactItems.length);
      return next(call);
    },
    { step: 'initialize', name: 'sizes' },
  );
  await act().finally(() => service.client.middlewareStack.remove('sizes'));
  return sizes;
};

/** The age at which a row is sealed. */
const LATER_MS = 61_000;

/** The member, and its leaves in the page index; then the transaction. */
const DELETE = ['GetItem', 'Query', 'TransactWriteItems'];

describe('round trips to DynamoDB', () => {
  test('GET of a member: 1 round trip; with expand: 2', async () => {
    const path = await create({ customer_id });
    expect(await counted(path)).toEqual(['GetItem']);
    expect(await counted(`${path}?fields=id`)).toEqual(['GetItem']);
    expect(await counted(`${path}?expand=customer`)).toEqual(['GetItem', 'BatchGetItem']);
    expect(await counted(`${await create()}?expand=customer`)).toEqual(['GetItem']);
  });

  test('GET with expand=items: 1 sequential round trip; 2 for items that were added later, and for the customer', async () => {
    const path = await create({ customer_id, items: LINES });
    const read = async (query: string, trips: number, commands: readonly string[]) => {
      expect(await sequentialTrips(() => counted(`${path}?expand=${query}`))).toBe(trips);
      // The first two are sent at the same time.
      expect(calls.attempts.map((command) => command.replace('Command', '')).sort()).toEqual(commands);
    };
    await read('items', 1, ['GetItem', 'Query']);
    await read('items&fields=id', 1, ['GetItem', 'Query']);
    await read('customer,items', 2, ['BatchGetItem', 'GetItem', 'Query']);
    const item = { invoice_id: Number(path.split('/').at(-1)), description: 'Later', unit_amount_cents: 1 };
    await service.send('/v1/invoice-items', { method: 'POST', body: item });
    await read('items', 2, ['BatchGetItem', 'GetItem', 'Query']);
    await read('customer,items', 2, ['BatchGetItem', 'BatchGetItem', 'GetItem', 'Query']);
  });

  test('POST with 90 items, a customer and a key: 1 round trip, a transaction of 94 actions [CONTRACT §4]', async () => {
    const items = Array.from({ length: 90 }, () => LINES[0]);
    const headers = { 'idempotency-key': randomUUID() };
    const post = { method: 'POST', headers, body: { customer_id, items } };
    const sizes = async (target: string) => {
      const sent = await transactionsOf(() => counted(target, post));
      expect(calls.attempts).toEqual(['TransactWriteItemsCommand']);
      return sent;
    };
    // Does not count the row of the outbox.
    expect(await sizes('/v1/invoices?dry_run=true')).toEqual([93]);
    expect(await sizes('/v1/invoices')).toEqual([94]);
    await checkInvariants(service);
  });

  test.each([1, 100])('a list with limit=%d: 1 round trip; with expand: 2', async (limit) => {
    expect(await counted(`/v1/invoices?limit=${limit}`)).toEqual(['Query']);
    expect(await counted(`/v1/invoices?limit=${limit}&expand=customer`)).toEqual(['Query', 'BatchGetItem']);
  });

  test.each([1, 100])('a filtered list with limit=%d: 2 round trips, index keys, then rows', async (limit) => {
    expect(await counted(`/v1/invoices?limit=${limit}&status=open`)).toEqual(['Query', 'BatchGetItem']);
    expect(await counted(`/v1/invoices?limit=${limit}&status=paid`)).toEqual(['Query']);
  });

  test.each([1, 100])('a list by due date with limit=%d: 2 round trips, index keys, then rows', async (limit) => {
    await create({ due_date: '2031-05-05', status: 'draft' });
    const target = `/v1/invoices?limit=${limit}&sort=due_date&due_from=2026-01-01`;
    expect(await counted(`${target}&status=draft`)).toEqual(['Query', 'BatchGetItem']);
    expect(await counted(`${target}&status=paid`)).toEqual(['Query']);
    expect(await counted(`${target}&status=draft&due_before=2025-12-31`)).toEqual([]);
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

  test.each([
    ['without a page index', false, 93],
    ['in a page index', true, 95],
  ])(
    'DELETE of an invoice with a customer and 90 items, %s: one transaction [CONTRACT §4]',
    async (_, isSealed, size) => {
      const path = await create({ customer_id, items: Array.from({ length: 90 }, () => LINES[0]) });
      const invoice_id = Number(path.split('/').at(-1));
      if (isSealed) {
        const sealer = createSealer(service, LATER_MS);
        await sealer.index('acct_1', 'invoices').request();
        await sealer.run();
      }
      const sizes = await transactionsOf(() => counted(path, { method: 'DELETE' }));
      const rows = await scan(service, 'invoiceItems');
      expect([sizes, rows.filter((row) => row['invoice_id'] === invoice_id)]).toEqual([[size], []]);
      await checkInvariants(service);
    },
  );

  test('GET /events when nothing waits: 1 sequential round trip for a page', async () => {
    const caller = { account: 'acct_feed' };
    const post = { method: 'POST', body: { name: 'x' }, as: caller };
    for (let i = 0; i < 12; i++) await service.send('/v1/customers', post);
    const { json } = await service.send('/v1/events?limit=2', { as: caller });
    const sequential = async (query: string) => {
      const trips = await sequentialTrips(() => counted(`/v1/events?${query}`, { as: caller }));
      return { trips, calls: [...calls.attempts] };
    };
    expect(await sequential('limit=10')).toEqual({ trips: 1, calls: ['QueryCommand', 'QueryCommand'] });
    // The outbox, the page, and the event before it.
    const continued = { trips: 1, calls: Array(3).fill('QueryCommand') };
    expect(await sequential(`limit=10&after=${json.next_cursor}`)).toEqual(continued);
    expect((await sequential('limit=10&sort=-id')).trips).toBe(1);
    expect((await sequential('created_from=2026-01-01T00:00:00Z')).trips).toBe(1);
    expect((await sequential('page=1&per_page=10')).trips).toBeLessThanOrEqual(3);
    // The index, then its rows; the latest events come from the table.
    expect((await sequential('type=customer.created')).trips).toBeLessThanOrEqual(2);
  });

  test('GET /events when a change waits: 5 sequential round trips', async () => {
    const caller = { account: 'acct_waiting' };
    await service.send('/v1/customers', { method: 'POST', body: { name: 'x' }, as: caller });
    expect(await sequentialTrips(() => counted('/v1/events', { as: caller }))).toBe(5);
  });

  test('GET /events with expand=resource, right after the change: 2 round trips for one page', async () => {
    const caller = { account: 'acct_expanded' };
    await service.send('/v1/customers', { method: 'POST', body: { name: 'x' }, as: caller });
    await service.send('/v1/events', { as: caller });
    expect(await counted('/v1/events?expand=resource', { as: caller })).toEqual(['Query', 'Query', 'BatchGetItem']);
  });

  test('a request that is refused before its handler: no round trip', async () => {
    calls.plan();
    await service.send('/v1/invoices', { headers: { authorization: undefined } });
    await service.send('/v1/invoices', { method: 'POST', body: { nope: 1 } });
    await service.send('/v1/invoices/abc');
    expect(calls.attempts).toEqual([]);
  });
});
