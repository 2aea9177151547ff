import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import { isApplied } from '#client/source/merge.ts';
import { serveApi } from './serve-api.ts';

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

test('an update: the function gets the state that was read, and If-Match has its ETag [§4]', async () => {
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

test('concurrent updates: no update is lost', async () => {
  await Promise.all(Array.from({ length: 5 }, () => client.customers.update(id, increment)));
  expect(await client.customers.get(id)).toMatchObject({ name: '5' });
});

test('an update whose response was lost: made once', async () => {
  served.wire.plan((_, call) => (call === 1 ? 'lost-response' : undefined));
  expect(await client.customers.update(id, increment)).toMatchObject({ name: '1' });
  expect(calls().map(([method]) => method)).toEqual(['GET', 'PATCH', 'PATCH', 'GET']);
  expect(await client.customers.get(id)).toMatchObject({ name: '1' });
});

test('an update that was not sent, and a change by another client: decided again', async () => {
  served.wire.plan(async (_, call) => {
    if (call !== 1) return undefined;
    await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body: { name: '10' } });
    return 'never-sent';
  });
  expect(await client.customers.update(id, increment)).toMatchObject({ name: '11' });
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

test.each([
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { a: undefined }, true],
  [{ a: null }, { a: null }, true],
  [{}, { a: null }, true],
  [{ a: 1 }, { a: null }, false],
  [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, true],
  [{ a: { b: 1 } }, { a: { c: null } }, true],
  [{ a: null }, { a: { b: 1 } }, false],
  [{ a: [1, 2] }, { a: [1, 2] }, true],
  [{ a: [1, 2] }, { a: [1] }, false],
])('%j under the patch %j (RFC 7396): unchanged is %s', (value, patch, expected) => {
  expect(isApplied(value, patch)).toBe(expected);
});
