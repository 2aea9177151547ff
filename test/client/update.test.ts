import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Client } from '#client/source/index.ts';
import { isThere } from '#client/source/merge.ts';
import { type Served, serveApi } from './served.ts';

let served: Served;
let client: Client<'v1'>;
let id: number;
beforeAll(async () => {
  served = await serveApi();
  client = served.client();
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterAll(async () => {
  jest.restoreAllMocks();
  await served.stop();
});
beforeEach(async () => {
  served.wire.plan();
  id = (await client.customers.create({ name: '0', metadata: { color: 'red' } })).id;
  served.wire.plan();
});

const more = ({ name }: { name: string }) => ({ name: String(Number(name) + 1) });
const calls = () => served.wire.calls.map(({ method, headers }) => [method, headers.get('if-match')]);

test('§4 Conditional requests: a change is decided on what was read, and carries its tag', async () => {
  expect(await client.customers.update(id, more)).toMatchObject({ id, name: '1' });
  expect(calls()).toEqual([
    ['GET', null],
    ['PATCH', '"1"'],
  ]);
});

test('§4 Conditional requests: of an update that comes too late, the decision is made anew (412)', async () => {
  let rivals = 0;
  served.wire.plan(async ({ method }) => {
    if (method === 'PATCH' && rivals < 2) {
      rivals += 1;
      await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body: { name: String(rivals * 10) } });
    }
    return undefined;
  });
  expect(await client.customers.update(id, more)).toMatchObject({ name: '21' });
  expect(calls().map(([method]) => method)).toEqual(['GET', 'PATCH', 'GET', 'PATCH', 'GET', 'PATCH']);
});

test('of many updates at once none is lost', async () => {
  await Promise.all(Array.from({ length: 5 }, () => client.customers.update(id, more)));
  expect(await client.customers.get(id)).toMatchObject({ name: '5' });
});

test('an update whose answer was lost is not made twice', async () => {
  served.wire.plan((_, call) => (call === 1 ? 'lost-answer' : undefined));
  expect(await client.customers.update(id, more)).toMatchObject({ name: '1' });
  expect(calls().map(([method]) => method)).toEqual(['GET', 'PATCH', 'PATCH', 'GET']);
  expect(await client.customers.get(id)).toMatchObject({ name: '1' });
});

test('when it was lost and somebody else came first, the decision is made anew', async () => {
  served.wire.plan(async (_, call) => {
    if (call !== 1) return undefined;
    await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body: { name: '10' } });
    return 'never-sent';
  });
  expect(await client.customers.update(id, more)).toMatchObject({ name: '11' });
});

test('a decision for nothing writes nothing, and a fixed change needs no function', async () => {
  expect(await client.customers.update(id, () => undefined)).toMatchObject({ name: '0' });
  expect(calls()).toEqual([['GET', null]]);
  const change = { metadata: { color: null, size: 'L' } };
  expect(await client.customers.update(id, change)).toMatchObject({ metadata: { size: 'L' } });
});

test('one that is always too late gives up with 412', async () => {
  served.wire.plan(async ({ method }) => {
    if (method === 'PATCH') {
      const body = { name: String(Math.floor(performance.now() * 1000)) };
      await served.service.send(`/v1/customers/${id}`, { method: 'PATCH', body });
    }
    return undefined;
  });
  await expect(client.customers.update(id, more)).rejects.toMatchObject({ code: 'precondition-failed', status: 412 });
  expect(served.wire.calls.length).toBe(22);
});

test('what the decision throws, and what the service refuses, is not tried again', async () => {
  const thrown = new Error('no');
  await expect(
    client.customers.update(id, () => {
      throw thrown;
    }),
  ).rejects.toBe(thrown);
  await expect(client.customers.update(id, { name: 'x'.repeat(1001) })).rejects.toMatchObject({ status: 422 });
  expect(served.wire.calls.length).toBe(3);
});

test('§4 Conditional requests: replace and delete take the tag that read gives', async () => {
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
])('RFC 7396: %j has all of %j: %s', (value, patch, expected) => {
  expect(isThere(value, patch)).toBe(expected);
});
