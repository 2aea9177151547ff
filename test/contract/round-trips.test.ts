import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Faults, injectFaults } from '#test/support/faults.ts';
import { type Service, startService } from '#test/support/service.ts';

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
const create = async (body: object = {}) =>
  (await service.send('/v1/invoices', { method: 'POST', body })).headers['location'] as string;

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

  test('POST with or without a key: 1 round trip, a PutItem or a transaction', async () => {
    const post = { method: 'POST', body: {} };
    expect(await counted('/v1/invoices', post)).toEqual(['PutItem']);
    expect(await counted('/v1/invoices', { ...post, body: { customer_id } })).toEqual(['TransactWriteItems']);
    const headers = { 'idempotency-key': randomUUID() };
    expect(await counted('/v1/invoices', { ...post, headers })).toEqual(['TransactWriteItems']);
    expect(await counted('/v1/invoices', { ...post, headers })).toEqual(['TransactWriteItems']);
  });

  test('PATCH, PUT, cancel and DELETE: 2 round trips; a change of nothing: 1', async () => {
    const path = await create();
    expect(await counted(path, { method: 'PATCH', body: { description: 'x' } })).toEqual(['GetItem', 'UpdateItem']);
    expect(await counted(path, { method: 'PUT', body: { description: 'y' } })).toEqual(['GetItem', 'UpdateItem']);
    expect(await counted(path, { method: 'PATCH', body: { customer_id } })).toEqual(['GetItem', 'TransactWriteItems']);
    expect(await counted(path, { method: 'PATCH', body: {} })).toEqual(['GetItem']);
    expect(await counted(`${path}/cancel`, { method: 'POST' })).toEqual(['GetItem', 'UpdateItem']);
    expect(await counted(path, { method: 'DELETE' })).toEqual(['GetItem', 'TransactWriteItems']);
  });

  test('a request that is refused before its handler: no round trip', async () => {
    calls.plan();
    await service.send('/v1/invoices', { headers: { authorization: undefined } });
    await service.send('/v1/invoices', { method: 'POST', body: { nope: 1 } });
    await service.send('/v1/invoices/abc');
    expect(calls.attempts).toEqual([]);
  });
});
