import { randomUUID } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import type { Chunk, Range } from '#shared/platform/store/rows.ts';
import type { Caller } from '#test/support/service/client.ts';
import { type Exports, forEachTest } from '#test/support/service/exports.ts';

let service: Exports;
let account_id: string;

forEachTest((...own) => {
  [service, account_id] = own;
});

const CSV = { type: 'customers', format: 'csv' };
const ask = (method: string, path: string, more: Caller & { body?: object; headers?: Record<string, string> } = {}) => {
  const { body, headers = {}, ...as } = more;
  return service.send(path, { method, ...(body && { body }), headers, as: { account: account_id, ...as } });
};
const createPending = async (): Promise<number> => (await ask('POST', '/v1/exports', { body: CSV })).json.id;
const work = (id: number, worker?: typeof writeExport) =>
  service.work([{ account_id, export_id: id }], worker && { worker });
const createCompleted = async (): Promise<number> => {
  const id = await createPending();
  await work(id);
  return id;
};
const failing: typeof writeExport = {
  ...writeExport,
  handle: (message, stores) => exportFile(message, { ...stores, customers: undefined as never }),
};
const createFailed = async (): Promise<number> => {
  const id = await createPending();
  for (let attempt = 1; attempt <= 5; attempt++) await work(id, failing);
  return id;
};
const createCanceled = async (): Promise<number> => {
  const id = await createPending();
  for (let tries = 1; tries <= 2; tries++) await ask('POST', `/v1/exports/${id}/cancel`);
  return id;
};

test('POST /exports twice under one key: Retry-After, the same response, and one message [§4, CONTRACT §8, CONTRACT §9]', async () => {
  const sent = { body: CSV, headers: { 'idempotency-key': randomUUID() } };
  const [first, again] = [await ask('POST', '/v1/exports', sent), await ask('POST', '/v1/exports', sent)];
  expect([first.status, first.headers['retry-after']]).toEqual([202, '2']);
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
  for (const name of ['location', 'etag', 'retry-after']) expect(again.headers[name]).toBe(first.headers[name]);
  const messages = await service.receive();
  expect(messages.map(({ Body }) => JSON.parse(Body as string))).toEqual([{ account_id, export_id: first.json.id }]);
});

test('a file seven days after completion: 410 export-expired; a minute earlier: 303 [CONTRACT §9]', async () => {
  const id = await createCompleted();
  const exp = Math.floor(Date.now() / 1000) + 8 * 86_400;
  const read = () => ask('GET', `/v1/exports/${id}/file`, { claims: { exp } });
  const expired = await service.at(7 * 24 * 60, read);
  expect([expired.status, expired.json.code]).toEqual([410, 'export-expired']);
  expect((await service.at(7 * 24 * 60 - 1, read)).status).toBe(303);
});

test('a failed export: 409 for its file and for cancel [CONTRACT §12]', async () => {
  const path = `/v1/exports/${await createFailed()}`;
  expect((await ask('GET', path)).json.status).toBe('failed');
  expect((await ask('GET', `${path}/file`)).json).toMatchObject({ status: 409, code: 'export-not-ready' });
  expect((await ask('POST', `${path}/cancel`)).json).toMatchObject({ status: 409, code: 'export-not-cancelable' });
});

test('cancel of a running export: 200 canceled, and its worker stops [CONTRACT §12]', async () => {
  const id = await createPending();
  const canceling: typeof writeExport = {
    ...writeExport,
    handle: (message, stores) => {
      const rows = async function* (range: Range): AsyncGenerator<Chunk> {
        const running = await ask('GET', `/v1/exports/${id}`);
        expect([running.json.status, running.headers['retry-after']]).toEqual(['running', '2']);
        expect((await ask('GET', `/v1/exports/${id}/file`)).json.code).toBe('export-not-ready');
        expect((await ask('POST', `/v1/exports/${id}/cancel`)).json.status).toBe('canceled');
        yield* stores.customers.rows(range);
      };
      return exportFile(message, { ...stores, customers: { rows } });
    },
  };
  expect(await work(id, canceling)).toEqual({ batchItemFailures: [] });
  expect((await ask('GET', `/v1/exports/${id}`)).json).toMatchObject({ status: 'canceled', sha256: null });
});

describe('the count of unfinished exports', () => {
  const counted = async (): Promise<unknown> => {
    const Key = { account_id };
    const { Item } = await service.client.send(new GetCommand({ TableName: 'counters', Key, ConsistentRead: true }));
    return Item?.['unfinished_exports'];
  };

  test.each([
    ['completed', createCompleted],
    ['failed', createFailed],
    ['canceled', createCanceled],
  ])(
    'an export that is %s: no longer counts, and a later message changes nothing [CONTRACT §10]',
    async (status, end) => {
      const before = await createPending();
      const id = await end();
      const ended = await ask('GET', `/v1/exports/${id}`);
      expect([ended.json.status, await counted()]).toEqual([status, 1]);
      expect(await work(id)).toEqual({ batchItemFailures: [] });
      expect([await counted(), (await ask('GET', `/v1/exports/${id}`)).text]).toEqual([1, ended.text]);
      expect((await ask('GET', `/v1/exports/${before}`)).json.status).toBe('pending');
    },
  );

  test('a worker and a cancel end an export at the same time: the count decreases by one [CONTRACT §10]', async () => {
    const id = await createPending();
    await Promise.all([work(id), ask('POST', `/v1/exports/${id}/cancel`)]);
    expect(await counted()).toBe(0);
  });
});
