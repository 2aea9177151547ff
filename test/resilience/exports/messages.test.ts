import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { S3Client } from '@aws-sdk/client-s3';
import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import writeExport from '#functions/workers/export.ts';
import { openApp } from '#local/app.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { createId as idOf } from '#shared/platform/id.ts';
import type { Chunk, Range } from '#shared/platform/store/rows.ts';
import { injectCrashes } from '#test/support/faults/crash.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type Exports, forEachTest } from '#test/support/service/exports.ts';
import type { Makers } from '#test/support/service/makers.ts';
import { recordOf } from '#test/support/service/workers.ts';
import { until } from '#test/support/waiting/until.ts';

let service: Exports;
let account_id: string;
let make: Makers;

forEachTest((...own) => {
  [service, account_id, make] = own;
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const customer = (name: string) => make.customer({ name });
const request = async (body?: object): Promise<number> => (await make.export(body)).id;
const job = (id: number) => make.get(`/v1/exports/${id}`);
const names = async (id: number) => {
  const [key] = [...(await service.files(`${account_id}/${id}/`)).keys()];
  const text = (await service.read(key as string)).toString();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).name);
};

test('duplicate messages, during and after the work: one file, and the job is unchanged [CONTRACT §9]', async () => {
  await customer('Ada');
  const export_id = await request();
  const message = { account_id, export_id };
  const sent = injectCrashes([service.own.s3]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => service.work([message, message])));
  expect(sent.calls).toEqual(['PutObjectCommand']);
  for (const answer of answers) expect(answer.batchItemFailures).toEqual([]);
  const done = await job(export_id);
  expect(done).toMatchObject({ status: 'completed', row_count: 1 });
  await service.work([message]);
  expect(await job(export_id)).toEqual(done);
  expect((await service.files(`${account_id}/`)).size).toBe(1);
});

test('a forged message, with another account or an unknown export: nothing changes [CONTRACT §9]', async () => {
  await customer('Ada');
  const export_id = await request();
  const before = await job(export_id);
  const { batchItemFailures } = await service.work([
    { account_id: 'acct_thief', export_id },
    { account_id, export_id: export_id + 1 },
  ]);
  expect(batchItemFailures).toEqual([]);
  expect(await job(export_id)).toEqual(before);
  expect([(await service.files('acct_thief/')).size, (await service.files(`${account_id}/`)).size]).toEqual([0, 0]);
});

test('an upload that is gone while a part is stored: the same attempt begins the file again [CONTRACT §9]', async () => {
  await customer('Ada');
  const export_id = await request();
  const uploads: string[] = [];
  const worker: typeof writeExport = {
    ...writeExport,
    handle: (message, stores) => {
      const files = {
        beginUpload: async () => `upload ${uploads.push('begun')}`,
        uploadPart: async (_: string, upload: string) => (upload === 'upload 1' ? undefined : 'x'),
        completeUpload: async () => true,
      };
      return exportFile(message, { ...stores, files } as never, 1);
    },
  };
  const { batchItemFailures } = await service.work([{ account_id, export_id }], { worker });
  expect([batchItemFailures, uploads.length]).toEqual([[], 2]);
  expect(await job(export_id)).toMatchObject({ status: 'completed', row_count: 1 });
});

test.each(['', '{', 'null', '[]', '{"account_id":"","export_id":1}', '{"account_id":"acct_1","export_id":"1"}'])(
  'the invalid message %j: it fails, and the other messages of its batch succeed',
  async (body) => {
    const export_id = await request();
    const { batchItemFailures } = await service.work([body, { account_id, export_id }, body]);
    expect(batchItemFailures).toHaveLength(2);
    expect((await job(export_id)).status).toBe('completed');
  },
);

test('a message that fails repeatedly: the delay before the next delivery grows', async () => {
  const waits: unknown[] = [];
  const { own } = service;
  own.sqs.middlewareStack.add(
    (next, { commandName }) =>
      (call) => {
        if (commandName === 'ChangeMessageVisibilityCommand') waits.push(call.input);
        return next(call);
      },
    { step: 'initialize', name: 'waits', override: true },
  );
  const records = [1, 2, 5].map((receives) => recordOf('{}', receives));
  const { batchItemFailures } = await openApp({
    environment: service.environment,
    clients: own,
  }).work<SQSBatchResponse>(writeExport, { Records: records });
  expect(batchItemFailures.length).toBe(3);
  const QueueUrl = service.environment['EXPORTS_QUEUE_URL'];
  expect(waits).toEqual(
    [30, 60, 480].map((VisibilityTimeout, i) => ({
      QueueUrl,
      ReceiptHandle: records[i]?.receiptHandle,
      VisibilityTimeout,
    })),
  );
});

test('a row that changes during the job: in the file, as changed; a row created 5 s after its start: not in the file [CONTRACT §9]', async () => {
  for (const name of ['a', 'b', 'c']) await customer(name);
  const export_id = await request();
  const disturbed: typeof writeExport = {
    ...writeExport,
    handle: (message, stores) => {
      const rows = async function* (range: Range): AsyncGenerator<Chunk> {
        await service.at(6 / 60, () => customer('late'));
        const [{ id }] = await make.list('/v1/customers');
        await make.send('PATCH', `/v1/customers/${id}`, { name: 'A' });
        yield* stores.customers.rows(range);
      };
      return exportFile(message, { ...stores, customers: { rows } });
    },
  };
  await service.work([{ account_id, export_id }], { worker: disturbed });
  expect(await names(export_id)).toEqual(['A', 'b', 'c']);
});

describe('a filter that ends less than 20 s ago [CONTRACT §9]', () => {
  const ending = (before: number) => {
    const filter = { created_before: new Date(Date.now() + before).toISOString() };
    const body = { type: 'customers', format: 'jsonl', filter };
    return make.send('POST', '/v1/exports', body);
  };
  const inMinutes = <T>(minutes: number, act: () => Promise<T>) => service.at(minutes, act);

  /** The delays of the messages that a client sends from now on, in seconds. */
  const recordDelays = ({ middlewareStack }: typeof service.sender): unknown[] => {
    const delays: unknown[] = [];
    middlewareStack.add(
      (next, { commandName }) =>
        (call) => {
          if (commandName === 'SendMessageBatchCommand') {
            const { Entries = [] } = call.input as SendMessageBatchCommandInput;
            delays.push(...Entries.map(({ DelaySeconds }) => DelaySeconds));
          }
          return next(call);
        },
      { step: 'initialize', name: 'delays', override: true },
    );
    return delays;
  };

  test('its message is delayed until the job may start, and Retry-After is that delay', async () => {
    stopClock();
    const delays = recordDelays(service.sender);
    const answer = await ending(-18_500);
    expect([answer.status, answer.headers['retry-after']]).toEqual([202, '2']);
    const { headers } = await ending(-5000);
    expect([headers['retry-after'], delays]).toEqual(['15', [2, 15]]);
    const messages: unknown[] = [];
    await until(async () => {
      messages.push(...(await service.receive()).map(({ Body }) => JSON.parse(Body as string)));
      return messages.length > 0;
    });
    expect(messages).toEqual([{ account_id, export_id: answer.json.id }]);
  });

  test('a message that comes earlier: nothing starts, and the message is sent again with the remaining delay', async () => {
    stopClock();
    const { id: export_id } = (await ending(0)).json;
    const before = await job(export_id);
    const delays = recordDelays(service.own.sqs);
    const { batchItemFailures } = await service.work([{ account_id, export_id }]);
    expect([batchItemFailures, await job(export_id)]).toEqual([[], before]);
    expect(delays).toEqual([20]);
    await inMinutes(1, () => service.work([{ account_id, export_id }]));
    expect((await job(export_id)).status).toBe('completed');
  });

  test('an export that may not start yet: Retry-After is the remaining delay', async () => {
    stopClock();
    const { id } = (await ending(-1000)).json;
    const { headers } = await make.send('GET', `/v1/exports/${id}?fields=id`);
    expect(headers['retry-after']).toBe('19');
  });

  test('a row that is committed after the end of the window, with an earlier created_at: in the file', async () => {
    const boundary = new Date().toISOString();
    const first = (await ending(0)).json;
    await service.work([{ account_id, export_id: first.id }]);
    const row = await customer('late');
    const { Item } = await service.client.send(
      new GetCommand({ TableName: 'customers', Key: { account_id, id: row.id } }),
    );
    const created_at = new Date(Date.parse(boundary) - 1).toISOString();
    const late = { ...Item, id: idOf(created_at, 0), created_at };
    await service.client.send(new PutCommand({ TableName: 'customers', Item: late }));
    await inMinutes(1, () => service.work([{ account_id, export_id: first.id }]));
    expect(await names(first.id)).toEqual(['late']);
  });
});

test('S3 does not respond: the attempt ends before the function’s timeout, and the next attempt completes the job', async () => {
  await customer('Ada');
  const deadline = new AbortController();
  const silent = createServer(() => deadline.abort());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const own = { ...service.own, s3: new S3Client({ endpoint, region: 'local', forcePathStyle: true }) };
  const export_id = await request();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(deadline.signal);
  const { work } = openApp({ environment: service.environment, clients: own });
  stopClock();
  const event = { Records: [recordOf({ account_id, export_id })] };
  const answer = await work<SQSBatchResponse>(writeExport, event, { remaining: 13_000 });
  jest.useRealTimers();
  own.s3.destroy();
  silent.closeAllConnections();
  silent.close();
  // The rest of the time is for the outcome.
  expect([answer.batchItemFailures, timeout.mock.calls[0]]).toEqual([[], [1000]]);
  expect((await job(export_id)).status).toBe('running');
  await service.work([{ account_id, export_id }]);
  expect((await job(export_id)).status).toBe('completed');
});
