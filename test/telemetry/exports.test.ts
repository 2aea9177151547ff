import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import createExport from '#functions/exports/create.ts';
import writeExport from '#functions/workers/export.ts';
import reconcile from '#functions/workers/reconcile.ts';
import { sqsEvent } from '#local/workers/batch.ts';
import { sendingLambda } from '#shared/runtime/endpoint-runtime.ts';
import { clients, workerLambda } from '#shared/runtime/worker-runtime.ts';
import { accessOf } from '#test/support/access.ts';
import { gatewayEvent, lambdaContext } from '#test/support/event.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from '#test/support/queue-and-files.ts';
import { type Service, startService } from '#test/support/service.ts';
import { captureOutput, enableTelemetry } from '#test/support/telemetry-output.ts';
import { testOnDynoxide } from '#test/support/test-on-dynoxide.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const SERVICE = { service: 'invoicing' };

let service: Service;
let queue: QueueAndFiles;
let restoreOutput: () => void;
let post: ReturnType<typeof sendingLambda>;
let runWorker: (event: unknown) => Promise<SQSBatchResponse>;
let runReconciler: () => Promise<unknown>;

beforeAll(async () => {
  restoreOutput = enableTelemetry();
  service = await startService();
  queue = await startTestQueueAndFiles();
  const environment = { ...service.environment, ...queue.variables };
  const engines = { ...clients(), dynamo: service.client };
  post = sendingLambda(createExport, { environment, client: service.client, ...accessOf(createExport) });
  runWorker = (event) =>
    workerLambda(
      writeExport,
      environment,
      engines,
      accessOf(writeExport),
    )(event as never, lambdaContext(300_000)) as never;
  const reconciler = workerLambda(reconcile, environment, engines, accessOf(reconcile));
  runReconciler = async () => reconciler(undefined as never, lambdaContext(60_000));
});
beforeEach(() => queue.purge());
afterAll(async () => {
  restoreOutput();
  await Promise.all([service.stop(), queue.stop()]);
});

const requestExport = async (headers = {}): Promise<number> => {
  const authorization = `Bearer ${await service.token()}`;
  const sent = { method: 'POST', headers: { authorization, ...headers }, body: { type: 'customers', format: 'csv' } };
  const { body = '' } = await post(gatewayEvent('/v1/exports', sent, {}, '/v1/exports'), lambdaContext());
  return JSON.parse(body).id;
};

/** Requests an export and changes its item. */
const putJob = async (changes: object): Promise<void> => {
  const key = { account_id: 'acct_1', id: await requestExport() };
  const { Item } = await service.client.send(new GetCommand({ TableName: 'exports', Key: key }));
  await service.client.send(new PutCommand({ TableName: 'exports', Item: { ...Item, ...changes } }));
};

const metricsOf = ({ metrics }: Awaited<ReturnType<typeof captureOutput>>) =>
  metrics.map(({ name, value, by }) => [name, value, by]);

describe('W3C Trace Context', () => {
  test('a request with a trace: the message and the worker’s line have it', async () => {
    await requestExport({ traceparent: TRACEPARENT, tracestate: 'a=1' });
    const messages = await queue.receive();
    expect(messages.map(({ MessageAttributes }) => MessageAttributes)).toMatchObject([
      { traceparent: { StringValue: TRACEPARENT }, tracestate: { StringValue: 'a=1' } },
    ]);
    const { lines } = await captureOutput(() => runWorker(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
    expect(lines.map((line) => line['trace_id'])).toEqual([TRACE]);
  });

  testOnDynoxide('rows read without the SDK’s deserializer: the line of the message has their read units', async () => {
    await requestExport();
    const messages = await queue.receive();
    const { lines } = await captureOutput(() => runWorker(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
    const [line] = lines.filter(({ message }) => message === 'message');
    // One for the job, and half or one for the page, even an empty one.
    expect(line?.['read_units']).toBeGreaterThan(1);
  });

  test('a request without a trace: the message has none', async () => {
    await requestExport();
    const [message] = await queue.receive();
    expect(message?.MessageAttributes).toBeUndefined();
  });
});

describe('the export worker', () => {
  test('a message of an export that it completes: one line, and ExportsCompleted is 1', async () => {
    await requestExport();
    const messages = await queue.receive();
    const all = await captureOutput(() => runWorker(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
    expect(all.result).toEqual({ batchItemFailures: [] });
    expect(all.lines).toMatchObject([{ level: 'INFO', message: 'message', done: true, dynamodb_calls: 4 }]);
    expect(all.lines[0]?.['write_units']).toBeGreaterThan(0);
    expect(metricsOf(all)).toEqual([['ExportsCompleted', 1, SERVICE]]);
  });

  test('a message that fails: a warning with the reason, and one line', async () => {
    const record = { messageId: 'm1', receiptHandle: 'none', body: '{}', messageAttributes: {}, attributes: {} };
    const { result, lines } = await captureOutput(() => runWorker({ Records: [record] }));
    expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
    expect(lines).toMatchObject([
      { level: 'WARN', message: 'a message has failed', error: { message: 'The message names no export.' } },
      { message: 'message', message_id: 'm1', done: false },
    ]);
  });
});

describe('the reconciler', () => {
  /** The id of an export that was created two days ago. */
  const oldId = (): number => (Date.now() - 172_800_000 - Date.UTC(2024, 0, 1)) * 4096;

  test('an export pending for more than 15 minutes: ExportsOverdue is 1, without one 0', async () => {
    await requestExport();
    expect(metricsOf(await captureOutput(runReconciler))).toEqual([
      ['DeliveriesOverdueSeconds', 0, SERVICE],
      ['ExportsOverdue', 0, SERVICE],
    ]);
    await putJob({ id: oldId(), due_at: Date.now() + 600_000 });
    await putJob({ id: oldId() + 1, due_at: Date.now() + 600_000, status: 'running' });
    expect(metricsOf(await captureOutput(runReconciler))).toContainEqual(['ExportsOverdue', 1, SERVICE]);
  });

  test('an export whose message it sends again: ExportsReminded is 1', async () => {
    await putJob({ id: oldId() + 3, due_at: 1, tries: 1 });
    expect(metricsOf(await captureOutput(runReconciler))).toContainEqual(['ExportsReminded', 1, SERVICE]);
  });

  test('an export whose last attempt has failed: ExportsFailed is 1', async () => {
    await putJob({ id: oldId() + 2, due_at: 1, tries: 5 });
    expect(metricsOf(await captureOutput(runReconciler))).toContainEqual(['ExportsFailed', 1, SERVICE]);
  });
});
