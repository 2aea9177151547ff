import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import createExport from '#functions/exports/create.ts';
import writeExport from '#functions/workers/export.ts';
import reconcile from '#functions/workers/reconcile.ts';
import { sqsEvent } from '#local/workers/batch.ts';
import { sendingLambda } from '#shared/lambda/runtime.ts';
import { clients, workerLambda } from '#shared/lambda/worker-runtime.ts';
import { gatewayEvent, lambdaContext } from '#test/support/event.ts';
import { printed, speakUp } from '#test/support/printed.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from '#test/support/queue-and-files.ts';
import { type Service, startService } from '#test/support/service.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const SERVICE = { service: 'invoicing' };

let service: Service;
let queue: QueueAndFiles;
let hush: () => void;
let post: ReturnType<typeof sendingLambda>;
let work: (event: unknown) => Promise<SQSBatchResponse>;
let tick: () => Promise<unknown>;

beforeAll(async () => {
  hush = speakUp();
  service = await startService();
  queue = await startTestQueueAndFiles();
  const environment = { ...service.environment, ...queue.variables };
  const engines = { ...clients(), dynamo: service.client };
  post = sendingLambda(createExport, environment, service.client);
  work = (event) => workerLambda(writeExport, environment, engines)(event as never, lambdaContext(300_000)) as never;
  tick = async () => workerLambda(reconcile, environment, engines)(undefined as never, lambdaContext(60_000));
});
beforeEach(() => queue.purge());
afterAll(async () => {
  hush();
  await Promise.all([service.stop(), queue.stop()]);
});

const ask = async (headers = {}): Promise<number> => {
  const authorization = `Bearer ${await service.token()}`;
  const sent = { method: 'POST', headers: { authorization, ...headers }, body: { type: 'customers', format: 'csv' } };
  const { body = '' } = await post(gatewayEvent('/v1/exports', sent, {}, '/v1/exports'), lambdaContext());
  return JSON.parse(body).id;
};

/** A job as it could have been left, made of a new one. */
const leave = async (changes: object): Promise<void> => {
  const key = { account_id: 'acct_1', id: await ask() };
  const { Item } = await service.client.send(new GetCommand({ TableName: 'exports', Key: key }));
  await service.client.send(new PutCommand({ TableName: 'exports', Item: { ...Item, ...changes } }));
};

const counted = ({ metrics }: Awaited<ReturnType<typeof printed>>) =>
  metrics.map(({ name, value, by }) => [name, value, by]);

describe('W3C Trace Context', () => {
  test('a caller’s trace goes on by the message with the worker', async () => {
    await ask({ traceparent: TRACEPARENT, tracestate: 'a=1' });
    const messages = await queue.receive();
    expect(messages.map(({ MessageAttributes }) => MessageAttributes)).toMatchObject([
      { traceparent: { StringValue: TRACEPARENT }, tracestate: { StringValue: 'a=1' } },
    ]);
    const { lines } = await printed(() => work(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
    expect(lines.map((line) => line['trace_id'])).toEqual([TRACE]);
  });

  test("the line of a message has the read units of the rows that it read past the SDK's deserializer", async () => {
    await ask();
    const messages = await queue.receive();
    const { lines } = await printed(() => work(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
    const [told] = lines.filter(({ message }) => message === 'message');
    // One for the job, and half or one for the page, even of no rows.
    expect(told?.['read_units']).toBeGreaterThan(1);
  });

  test('without one the message says nothing of it', async () => {
    await ask();
    const [message] = await queue.receive();
    expect(message?.MessageAttributes).toBeUndefined();
  });
});

describe('a message at work', () => {
  test('leaves one line, and a count of the export that it completed', async () => {
    await ask();
    const messages = await queue.receive();
    const all = await printed(() => work(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
    expect(all.result).toEqual({ batchItemFailures: [] });
    expect(all.lines).toMatchObject([{ level: 'INFO', message: 'message', done: true, dynamodb_calls: 4 }]);
    expect(all.lines[0]?.['write_units']).toBeGreaterThan(0);
    expect(counted(all)).toEqual([['ExportsCompleted', 1, SERVICE]]);
  });

  test('that fails says why', async () => {
    const record = { messageId: 'm1', receiptHandle: 'none', body: '{}', messageAttributes: {}, attributes: {} };
    const { result, lines } = await printed(() => work({ Records: [record] }));
    expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(lines).toMatchObject([
      { level: 'WARN', message: 'a message has failed', error: { message: 'The message names no export.' } },
      { message: 'message', message_id: 'm1', done: false },
    ]);
  });
});

describe('the reconciler', () => {
  /** Two days before the first export of this test. */
  const OLD = (): number => (Date.now() - 172_800_000 - Date.UTC(2024, 0, 1)) * 4096;

  test('says each time how many exports have been pending for more than 15 minutes', async () => {
    await ask();
    expect(counted(await printed(tick))).toEqual([['ExportsOverdue', 0, SERVICE]]);
    await leave({ id: OLD(), due_at: Date.now() + 600_000 });
    await leave({ id: OLD() + 1, due_at: Date.now() + 600_000, status: 'running' });
    expect(counted(await printed(tick))).toEqual([['ExportsOverdue', 1, SERVICE]]);
  });

  test('counts those that it sends another message for', async () => {
    await leave({ id: OLD() + 3, due_at: 1, tries: 1 });
    expect(counted(await printed(tick))).toContainEqual(['ExportsReminded', 1, SERVICE]);
  });

  test('counts those that it fails after the last attempt', async () => {
    await leave({ id: OLD() + 2, due_at: 1, tries: 5 });
    expect(counted(await printed(tick))).toContainEqual(['ExportsFailed', 1, SERVICE]);
  });
});
