import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { changesBetween, snapshot } from '#test/support/state/snapshots.ts';
import { problem, serveApi } from './serve-api.ts';

const served = await serveApi();
const client = served.client();
afterAll(() => served.stop());
afterEach(() => {
  served.wire.plan();
  jest.restoreAllMocks();
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

test('a PATCH without an ETag as a dry run: sent again after a lost response, because it changes nothing', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const { id } = await client.customers.create({ name: 'Ada' });
  served.wire.plan((_, call) => (call < 2 ? 'lost-response' : call === 2 ? problem(503, 'unavailable') : undefined));
  expect(await client.customers.patch(id, { name: 'B' }, DRY)).toMatchObject({ name: 'B' });
  expect(served.wire.calls.length).toBe(4);
  await expect(client.customers.get(id)).resolves.toMatchObject({ name: 'Ada' });
});

test('a dry run of DELETE, a lost response and then 404: not-found, because a dry run deletes nothing', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const { id } = await client.customers.create({ name: 'Ada' });
  served.wire.plan(async (_, call) => {
    if (call === 1) await served.service.send(`/v1/customers/${id}`, { method: 'DELETE' });
    return call === 0 ? 'lost-response' : undefined;
  });
  await expect(client.customers.delete(id, DRY)).rejects.toMatchObject({ code: 'not-found' });
});

test('dryRun false: the request itself, with an id', async () => {
  const { id } = await client.customers.create({ name: 'Ada' }, { dryRun: false });
  expect(typeof id).toBe('number');
});
