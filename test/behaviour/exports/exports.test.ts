import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import type { Chunk, Range } from '#shared/platform/data/rows.ts';
import { type Exports, forEachTest } from '#test/support/exports.ts';
import type { Answer, Claims } from '#test/support/service.ts';

let service: Exports;
let account_id: string;

forEachTest((...own) => {
  [service, account_id] = own;
});

const CSV = { type: 'customers', format: 'csv' };
const ask = (
  method: string,
  path: string,
  { body, headers = {}, ...claims }: Claims & { body?: object; headers?: object } = {},
) => service.send(path, { method, ...(body && { body }), headers: { ...headers }, claims: { account_id, ...claims } });
const create = (body: object = CSV, more: Claims & { headers?: object } = {}) =>
  ask('POST', '/v1/exports', { body, ...more });
const createPending = async (): Promise<number> => (await create()).json.id;
const createCompleted = async (): Promise<number> => {
  const id = await createPending();
  await service.work([{ account_id, export_id: id }]);
  return id;
};
const failing: typeof writeExport = {
  ...writeExport,
  handle: (message, stores) => exportFile(message, { ...stores, customers: undefined as never }),
};
const createFailed = async (): Promise<number> => {
  const id = await createPending();
  for (let attempt = 1; attempt <= 5; attempt++) {
    await service.work([{ account_id, export_id: id }], { worker: failing });
  }
  return id;
};

describe('POST /exports', () => {
  test('a valid request: 202 with Retry-After, and one message is sent [CONTRACT §9]', async () => {
    const answer = await create();
    const { id } = answer.json;
    expect(answer.status).toBe(202);
    expect(answer.headers['retry-after']).toBe('2');
    const messages = await service.receive();
    expect(messages.map(({ Body }) => JSON.parse(Body as string))).toEqual([{ account_id, export_id: id }]);
  });

  test('a repeat under the same key: the response is replayed, no second message is sent [§4, CONTRACT §8]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create(CSV, { headers });
    const again = await create(CSV, { headers });
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
    for (const name of ['location', 'etag', 'retry-after']) expect(again.headers[name]).toBe(first.headers[name]);
    expect(await service.receive()).toHaveLength(1);
  });
});

describe('GET /exports/<id>', () => {
  test('an unfinished export: Retry-After; a completed one: the path of its file [CONTRACT §4, CONTRACT §9]', async () => {
    const id = await createPending();
    const before = await ask('GET', `/v1/exports/${id}`);
    expect([before.status, before.headers['retry-after'], before.json.file_url]).toEqual([200, '2', null]);
    await service.work([{ account_id, export_id: id }]);
    for (const version of ['v1', 'v2']) {
      const { headers, json } = await ask('GET', `/${version}/exports/${id}`);
      expect([headers['retry-after'], json.status]).toEqual([undefined, 'completed']);
      expect(json.file_url).toBe(`/${version}/exports/${id}/file`);
      expect(Date.parse(json.expires_at) - Date.parse(json.completed_at)).toBe(7 * 86_400_000);
    }
    const { headers, json } = await ask('GET', `/v1/exports/${id}?fields=file_url`);
    expect([json, headers['retry-after']]).toEqual([{ file_url: `/v1/exports/${id}/file` }, undefined]);
  });

  test('the export has changed: its ETag, too [CONTRACT §7]', async () => {
    const id = await createPending();
    const before = (await ask('GET', `/v1/exports/${id}`)).headers['etag'] as string;
    await service.work([{ account_id, export_id: id }]);
    const answer = await ask('GET', `/v1/exports/${id}`, { headers: { 'if-none-match': before } });
    expect(answer.status).toBe(200);
  });
});

test('exports by status, by type and by both: the matching ones [CONTRACT §4]', async () => {
  const done = await createCompleted();
  const waiting = (await create({ type: 'invoices', format: 'jsonl' })).json.id;
  const ids = async (query: string) =>
    (await ask('GET', `/v1/exports?${query}`)).json.data.map(({ id }: { id: number }) => id);
  expect(await ids('')).toEqual([done, waiting]);
  expect(await ids('status=completed')).toEqual([done]);
  expect(await ids('type=invoices')).toEqual([waiting]);
  expect(await ids('type=invoices&status=pending')).toEqual([waiting]);
  expect(await ids('type=invoices&status=completed')).toEqual([]);
});

describe('GET /exports/<id>/file', () => {
  test.each([
    ['pending', createPending],
    [
      'canceled',
      async () => {
        const id = await createPending();
        await ask('POST', `/v1/exports/${id}/cancel`);
        return id;
      },
    ],
    ['failed', createFailed],
  ])('a %s export: 409 export-not-ready [CONTRACT §12]', async (status, make) => {
    const id = await make();
    expect((await ask('GET', `/v1/exports/${id}`)).json.status).toBe(status);
    const answer = await ask('GET', `/v1/exports/${id}/file`);
    expect([answer.status, answer.json.code]).toEqual([409, 'export-not-ready']);
  });

  test('GET, or HEAD and then HEAD: the headers of the file behind the redirect [CONTRACT §4, CONTRACT §9]', async () => {
    const id = await createCompleted();
    const locations = await Promise.all(
      ['GET', 'HEAD'].map(async (method) => {
        const { status, headers } = await ask(method, `/v1/exports/${id}/file`);
        const location = headers['location'] as string;
        const file = await fetch(location, { method });
        const length = Number(file.headers.get('content-length'));
        expect([method, status, file.status, length > 0]).toEqual([method, 303, 200, true]);
        return [location, length] as const;
      }),
    );
    expect(locations[0]?.[1]).toBe(locations[1]?.[1]);
    expect((await fetch(locations[0]?.[0] as string, { method: 'HEAD' })).status).toBe(403);
  });

  test('seven days after completion: 410 export-expired [CONTRACT §9]', async () => {
    const id = await createCompleted();
    const exp = Math.floor(Date.now() / 1000) + 8 * 86_400;
    const expired = await service.at(7 * 24 * 60, () => ask('GET', `/v1/exports/${id}/file`, { exp }));
    expect([expired.status, expired.json.code]).toEqual([410, 'export-expired']);
    const still = await service.at(7 * 24 * 60 - 1, () => ask('GET', `/v1/exports/${id}/file`, { exp }));
    expect(still.status).toBe(303);
  });
});

describe('POST /exports/<id>/cancel', () => {
  test('a pending export: 200 canceled; a second cancel and its message change nothing [CONTRACT §9, CONTRACT §12]', async () => {
    const id = await createPending();
    const first = await ask('POST', `/v1/exports/${id}/cancel`);
    expect([first.status, first.json.status, first.headers['etag']]).toEqual([200, 'canceled', '"2"']);
    const again = await ask('POST', `/v1/exports/${id}/cancel`);
    expect([again.status, again.text, again.headers['etag']]).toEqual([200, first.text, '"2"']);
    expect(await service.work([{ account_id, export_id: id }])).toEqual({ batchItemFailures: [] });
    expect((await ask('GET', `/v1/exports/${id}`)).text).toBe(first.text);
  });

  test('a running export: 200 canceled, and its worker stops [CONTRACT §12]', async () => {
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
    expect(await service.work([{ account_id, export_id: id }], { worker: canceling })).toEqual({
      batchItemFailures: [],
    });
    expect((await ask('GET', `/v1/exports/${id}`)).json).toMatchObject({ status: 'canceled', sha256: null });
  });

  test.each([
    ['completed', createCompleted],
    ['failed', createFailed],
  ])('a %s export: 409 export-not-cancelable [CONTRACT §12]', async (_, make) => {
    const answer = await ask('POST', `/v1/exports/${await make()}/cancel`);
    expect([answer.status, answer.json.code]).toEqual([409, 'export-not-cancelable']);
  });
});

describe('at most 20 unfinished exports per account', () => {
  const MOST = 20;
  const counted = async (): Promise<unknown> => {
    const Key = { account_id };
    const { Item } = await service.client.send(new GetCommand({ TableName: 'counters', Key, ConsistentRead: true }));
    return Item?.['unfinished_exports'];
  };
  const outcome = ({ status, json }: Answer) => [status, json.code];
  const atOnce = (count: number) => Promise.all(Array.from({ length: count }, () => create()));

  test('30 requests at the same time: 20 are accepted, 10 are refused with Retry-After [CONTRACT §10]', async () => {
    const answers = await atOnce(30);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.map(outcome)).toEqual(Array.from({ length: 10 }, () => [429, 'too-many-exports']));
    expect(refused[0]?.headers['retry-after']).toBe('10');
    expect(refused[0]?.json.detail).toMatch(/20 unfinished exports/);
    const { data } = (await ask('GET', '/v1/exports?limit=100')).json;
    expect([data.length, await counted()]).toEqual([MOST, MOST]);
  });

  test('at the limit: a repeat replays, a new key is refused, another account is not [CONTRACT §8, CONTRACT §10]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create(CSV, { headers });
    await atOnce(MOST - 1);
    const again = await create(CSV, { headers });
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([202, first.text, 'true']);
    expect(outcome(await create({ ...CSV, format: 'jsonl' }, { headers }))).toEqual([422, 'idempotency-key-reused']);
    expect(outcome(await create(CSV, { headers: { 'idempotency-key': randomUUID() } }))[0]).toBe(429);
    expect((await create(CSV, { account_id: `${account_id}_2` })).status).toBe(202);
  });

  test.each([
    ['completed', createCompleted],
    ['failed', createFailed],
    [
      'canceled',
      async () => {
        const id = await createPending();
        await ask('POST', `/v1/exports/${id}/cancel`);
        await ask('POST', `/v1/exports/${id}/cancel`);
        return id;
      },
    ],
    [
      'failed by the reconciler',
      async () => {
        const id = await createPending();
        for (let reminder = 0; reminder <= 5; reminder++) {
          await service.elapse(id, account_id);
          await service.reconcile();
        }
        return id;
      },
    ],
    [
      'failed by a sixth claim',
      async () => {
        const id = await createPending();
        const UpdateExpression = 'SET tries = :five';
        const TableName = 'exports';
        const Key = { account_id, id };
        const ExpressionAttributeValues = { ':five': 5 };
        await service.client.send(new UpdateCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues }));
        await service.work([{ account_id, export_id: id }]);
        return id;
      },
    ],
  ])('an export that is %s: it no longer counts [CONTRACT §10]', async (status, end) => {
    const before = await createPending();
    const id = await end();
    expect((await ask('GET', `/v1/exports/${id}`)).json.status).toBe(status.split(' ')[0]);
    expect(await counted()).toBe(1);
    await service.work([{ account_id, export_id: id }]);
    expect([await counted(), (await ask('GET', `/v1/exports/${before}`)).json.status]).toEqual([1, 'pending']);
  });

  test('a worker and a cancel at the same time: the count goes down once [CONTRACT §10]', async () => {
    const id = await createPending();
    await Promise.all([service.work([{ account_id, export_id: id }]), ask('POST', `/v1/exports/${id}/cancel`)]);
    expect(await counted()).toBe(0);
  });
});
