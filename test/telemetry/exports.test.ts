import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import { sqsEvent } from '#local/workers/batch.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { startWorkers } from '#test/support/service/workers.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const SERVICE = { service: 'invoicing' };

enableTelemetryOfFile();
const workers = await startWorkers();
beforeEach(() => workers.queue.purge());
afterAll(() => workers.stop());

const runWorker = (event: unknown) => workers.run<SQSBatchResponse>('workers/export', event, 300_000);
const runReconciler = () => workers.run('workers/reconcile', {});
const handleMessages = async () => {
  const messages = await workers.queue.receive();
  return captureOutput(() => runWorker(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
};

const requestExport = async (headers = {}): Promise<number> => {
  const sent = { method: 'POST', headers, body: { type: 'customers', format: 'csv' } };
  return (await workers.service.send('/v1/exports', sent)).json.id;
};

/** Requests an export and changes its item. */
const putJob = async (changes: object): Promise<void> => {
  const key = { account_id: 'acct_1', id: await requestExport() };
  const { Item } = await workers.service.client.send(new GetCommand({ TableName: 'exports', Key: key }));
  await workers.service.client.send(new PutCommand({ TableName: 'exports', Item: { ...Item, ...changes } }));
};

const metricsOf = ({ metrics }: Awaited<ReturnType<typeof captureOutput>>) =>
  metrics.map(({ name, value, by }) => [name, value, by]);

describe('W3C Trace Context', () => {
  test('a request with a trace: the message and the worker’s line have this trace', async () => {
    await requestExport({ traceparent: TRACEPARENT, tracestate: 'a=1' });
    const messages = await workers.queue.receive();
    expect(messages.map(({ MessageAttributes }) => MessageAttributes)).toMatchObject([
      { traceparent: { StringValue: TRACEPARENT }, tracestate: { StringValue: 'a=1' } },
    ]);
    const { lines } = await captureOutput(() => runWorker(sqsEvent(messages, 'arn:aws:sqs:local:0:exports')));
    expect(lines.map((line) => line['trace_id'])).toEqual([TRACE]);
  });

  testOnDynoxide('rows read without the SDK’s deserializer: the line of the message has their read units', async () => {
    await requestExport();
    const { lines } = await handleMessages();
    const [line] = lines.filter(({ message }) => message === 'message');
    // One unit for the job, and half a unit or one unit for the page, also for an empty page.
    expect(line?.['read_units']).toBeGreaterThan(1);
  });

  test('a request without a trace: the message has no trace', async () => {
    await requestExport();
    const [message] = await workers.queue.receive();
    expect(message?.MessageAttributes).toBeUndefined();
  });
});

describe('the export worker', () => {
  test('a message whose export is completed: one line, and ExportsCompleted is 1', async () => {
    await requestExport();
    const all = await handleMessages();
    expect(all.result).toEqual({ batchItemFailures: [] });
    // Two of the calls count the exports that read the same partition.
    expect(all.lines).toMatchObject([{ level: 'INFO', message: 'message', done: true, dynamodb_calls: 6 }]);
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

  test('an export whose message it sends again: ExportsReminded is 1', async () => {
    await putJob({ id: oldId() + 3, due_at: 1, tries: 1 });
    expect(metricsOf(await captureOutput(runReconciler))).toContainEqual(['ExportsReminded', 1, SERVICE]);
  });

  test('an export whose last attempt has failed: ExportsFailed is 1', async () => {
    await putJob({ id: oldId() + 2, due_at: 1, tries: 5 });
    expect(metricsOf(await captureOutput(runReconciler))).toContainEqual(['ExportsFailed', 1, SERVICE]);
  });
});
