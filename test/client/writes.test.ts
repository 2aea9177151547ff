import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { changesBetween, snapshot } from '#test/support/state/snapshots.ts';
import { problem, serveApi } from './serve-api.ts';

let id: number;
const served = await serveApi();
const client = served.client();
jest.spyOn(Math, 'random').mockReturnValue(0);
afterAll(async () => {
  jest.restoreAllMocks();
  await served.stop();
});
beforeEach(async () => {
  served.wire.plan();
  id = (await client.customers.create({ name: '0', metadata: { color: 'red' } })).id;
  served.wire.plan();
});

const increment = ({ name }: { name: string }) => ({ name: String(Number(name) + 1) });
const calls = () => served.wire.calls.map(({ method, headers }) => [method, headers.get('if-match')]);

test('an update: the function gets the read state, and If-Match has its ETag [§4]', async () => {
  expect(await client.customers.update(id, increment)).toMatchObject({ id, name: '1' });
  expect(calls()).toEqual([
    ['GET', null],
    ['PATCH', '"1"'],
  ]);
});

test('an update with a stale ETag (412): decided again on the new state [§4]', async () => {
  let otherChanges = 0;
  served.wire.plan(async ({ method }) => {
    if (method === 'PATCH' && otherChanges < 2) {
      otherChanges += 1;
      await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body: { name: String(otherChanges * 10) } });
    }
    return undefined;
  });
  expect(await client.customers.update(id, increment)).toMatchObject({ name: '21' });
  expect(calls().map(([method]) => method)).toEqual(['GET', 'PATCH', 'GET', 'PATCH', 'GET', 'PATCH']);
});

test('an update whose response was lost, and a change by another client: made once, and not over that change', async () => {
  served.wire.plan(async (_, call) => {
    if (call === 2) await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body: { name: '10' } });
    return call === 1 ? 'lost-response' : undefined;
  });
  expect(await client.customers.update(id, increment)).toMatchObject({ name: '1' });
  expect(await client.customers.get(id)).toMatchObject({ name: '10' });
});

test('an update that was not sent, and the same change by another client: both count', async () => {
  served.wire.plan(async (_, call) => {
    if (call !== 1) return undefined;
    await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body: { name: '1' } });
    return 'never-sent';
  });
  expect(await client.customers.update(id, increment)).toMatchObject({ name: '2' });
});

test('a PATCH of several attempts: one key for all attempts, so the PATCH does not undo a later change [CONTRACT §8]', async () => {
  const faults = ['lost-response', problem(503, 'unavailable'), problem(429, 'too-many-requests')] as const;
  served.wire.plan(async (_, call) => {
    if (call === 1) await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body: { name: '2' } });
    return faults[call];
  });
  expect(await client.customers.patch(id, { name: '1' })).toMatchObject({ name: '1' });
  const keys = served.wire.calls.map(({ headers }) => headers.get('idempotency-key'));
  expect([keys.length, new Set(keys).size, keys.includes(null)]).toEqual([4, 1, false]);
  expect(await client.customers.get(id)).toMatchObject({ name: '2' });
});

test('a PATCH with a key of the caller: another process that sends the PATCH again gets its response [CONTRACT §8]', async () => {
  const options = { idempotencyKey: `rename-${id}` };
  const renamed = await client.customers.patch(id, { name: '1' }, options);
  await client.customers.patch(id, { name: '2' });
  expect(await served.client().customers.patch(id, { name: '1' }, { ...options, ifMatch: '"1"' })).toEqual(renamed);
  expect(await client.customers.get(id)).toMatchObject({ name: '2' });
});

test('an update that decides on no change: no write; a fixed change: sent without a function', async () => {
  expect(await client.customers.update(id, () => undefined)).toMatchObject({ name: '0' });
  expect(calls()).toEqual([['GET', null]]);
  const change = { metadata: { color: null, size: 'L' } };
  expect(await client.customers.update(id, change)).toMatchObject({ metadata: { size: 'L' } });
});

test('an update whose ETag is always stale: 412 after the last attempt', async () => {
  let changes = 1000;
  served.wire.plan(async ({ method }) => {
    if (method === 'PATCH') {
      changes += 1000;
      const body = { name: String(changes) };
      await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body });
    }
    return undefined;
  });
  await expect(client.customers.update(id, increment)).rejects.toMatchObject({
    code: 'precondition-failed',
    status: 412,
  });
  expect(served.wire.calls.length).toBe(22);
});

test('an error of the decision, or a 422 of the service: not tried again', async () => {
  const thrown = new Error('no');
  await expect(
    client.customers.update(id, () => {
      throw thrown;
    }),
  ).rejects.toBe(thrown);
  await expect(client.customers.update(id, { name: 'x'.repeat(1001) })).rejects.toMatchObject({ status: 422 });
  expect(served.wire.calls.length).toBe(3);
});

test('replace and delete: succeed with the current ETag, and are refused with a stale ETag [§4, CONTRACT §7]', async () => {
  const { data, etag } = await client.customers.read(id);
  expect([data.name, etag]).toEqual(['0', '"1"']);
  await client.customers.replace(id, { name: 'A' }, { ifMatch: etag });
  await expect(client.customers.delete(id, { ifMatch: etag })).rejects.toMatchObject({ code: 'precondition-failed' });
  await client.customers.delete(id, { ifMatch: (await client.customers.read(id)).etag });
});

const DRY = { dryRun: true } as const;

/** Runs the work, and checks that it changes no table. */
const changesNothing = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = await snapshot(served.service);
  const result = await work();
  expect(changesBetween(before, await snapshot(served.service))).toEqual([]);
  return result;
};

test('every write method as a dry run: its result, and nothing changes [CONTRACT §13]', async () => {
  const customer = await client.customers.create({ name: 'Ada' });
  const invoice = await client.invoices.create({ total_cents: 100 });
  const { id } = await client.exports.create({ type: 'customers', format: 'csv' });
  served.wire.plan();
  await changesNothing(async () => {
    const planned = await client.payments.create({ invoice_id: invoice.id, amount_cents: 100 }, DRY);
    const noId: null = planned.id;
    expect([noId, planned.status]).toEqual([null, 'succeeded']);
    expect(await client.customers.patch(customer.id, { name: 'B' }, DRY)).toMatchObject({ id: customer.id, name: 'B' });
    expect((await client.customers.replace(customer.id, { name: 'C' }, DRY)).name).toBe('C');
    expect((await client.customers.update(customer.id, ({ name }) => ({ name: `${name}!` }), DRY)).name).toBe('Ada!');
    expect(await client.customers.delete(customer.id, DRY)).toBeUndefined();
    expect((await client.invoices.cancel(invoice.id, DRY)).status).toBe('canceled');
    expect((await client.exports.cancel(id, DRY)).status).toBe('canceled');
  });
  const writes = served.wire.calls.filter(({ method }) => method !== 'GET');
  expect(writes.map(({ path }) => path.split('?')[1])).toEqual(Array(7).fill('dry_run=true'));
});

test('a dry run under the key of a request: its resource, with its id [CONTRACT §13]', async () => {
  const idempotencyKey = crypto.randomUUID();
  const created = await client.customers.create({ name: 'Ada' }, { idempotencyKey });
  const replayed = await client.customers.create({ name: 'Ada' }, { idempotencyKey, dryRun: true });
  const id: number | null = replayed.id;
  expect(id).toBe(created.id);
});

test('a PATCH as a dry run: sent again after a lost response, and changes nothing', async () => {
  served.wire.plan((_, call) => (call < 2 ? 'lost-response' : call === 2 ? problem(503, 'unavailable') : undefined));
  expect(await client.customers.patch(id, { name: 'B' }, DRY)).toMatchObject({ name: 'B' });
  expect(served.wire.calls.length).toBe(4);
  await expect(client.customers.get(id)).resolves.toMatchObject({ name: '0' });
});

test('a dry run of DELETE, a lost response and then 404: not-found, because a dry run deletes nothing', async () => {
  served.wire.plan(async (_, call) => {
    if (call === 1) await served.service.send(`/v1/customers/${id}`, { method: 'DELETE' });
    return call === 0 ? 'lost-response' : undefined;
  });
  await expect(client.customers.delete(id, DRY)).rejects.toMatchObject({ code: 'not-found' });
});
