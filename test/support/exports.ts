import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, jest } from '@jest/globals';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { workers } from '#functions/workers.ts';
import type { Message } from '#shared/invoicing/queues.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { createS3Client } from '#shared/platform/files/bucket.ts';
import { createSqsClient } from '#shared/platform/queues/queue.ts';
import type { Worker } from '#shared/platform/worker.ts';
import { workerLambda } from '#shared/runtime/worker-runtime.ts';
import { accessOf } from './access.ts';
import { lambdaContext } from './event.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from './queue-and-files.ts';
import { type Answer, type Claims, type Service, startService } from './service.ts';

/** The service and its workers. The workers have their own clients, so that a test can inject faults only into them. */
export interface Exports
  extends Service,
    Pick<QueueAndFiles, 'bucket' | 'receive' | 'files' | 'read' | 'uploads' | 'purge'> {
  readonly own: ReturnType<typeof clientsOf>;
  /** Runs the export worker on these messages, with this remaining time. */
  work(
    messages: readonly (Message | string)[],
    options?: { remaining?: number; worker?: Worker },
  ): Promise<SQSBatchResponse>;
  /** Runs the export worker until the queue is empty. */
  drain(options?: { remaining?: number; worker?: Worker }): Promise<void>;
  /** Runs the reconciler with the clock this many minutes ahead. */
  reconcile(minutes?: number): Promise<void>;
  /** Runs `act` with the clock this many minutes ahead. */
  at<T>(minutes: number, act: () => Promise<T>): Promise<T>;
  /** Requests an export, which puts its message on the queue, and returns its id. */
  request(body: object, claims?: Claims): Promise<number>;
  job(id: number, claims?: Claims): Promise<Answer['json']>;
  /** Makes a job due for the reconciler: its lease has expired. */
  elapse(id: number, account?: string): Promise<void>;
}

const clientsOf = () => ({ dynamo: createDynamoClient(), s3: createS3Client(), sqs: createSqsClient() });

export const recordOf = (body: Message | string, receives = 1): SQSRecord =>
  ({
    messageId: randomUUID(),
    receiptHandle: randomUUID(),
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { ApproximateReceiveCount: String(receives) },
    messageAttributes: {},
  }) as SQSRecord;

export const startExports = async (): Promise<Exports> => {
  const { promise, resolve } = Promise.withResolvers<QueueAndFiles>();
  // The database engine starts first: it may set the credentials that SQS and S3 must use.
  const service = await startService(async () => {
    resolve(await startTestQueueAndFiles());
    return (await promise).variables;
  }, createSqsClient());
  const files = await promise;
  const own = clientsOf();
  type Consume = (event: SQSEvent, context: ReturnType<typeof lambdaContext>) => Promise<SQSBatchResponse>;
  const handlerOf = (worker = workers['workers/export'] as Worker) =>
    workerLambda(worker, service.environment, own, accessOf(worker)) as Consume;
  const reconciler = workers['workers/reconcile'] as Worker;
  const reconcilerOf = (clients: typeof own) =>
    workerLambda(reconciler, service.environment, clients, accessOf(reconciler)) as (
      event: unknown,
      context: unknown,
    ) => Promise<void>;
  const run = (reconciler: ReturnType<typeof reconcilerOf>) => reconciler({}, lambdaContext(60_000));

  const work: Exports['work'] = (messages, { remaining = 300_000, worker } = {}) =>
    handlerOf(worker)({ Records: messages.map((body) => recordOf(body)) }, lambdaContext(remaining));

  return {
    ...service,
    ...files,
    own,
    work,
    async drain(options) {
      for (;;) {
        const messages = await files.receive();
        if (messages.length === 0) return;
        await work(
          messages.map(({ Body }) => Body as string),
          options,
        );
      }
    },
    async reconcile(minutes = 0) {
      if (minutes === 0) return run(reconcilerOf(own));
      // An SDK client corrects its clock by the date of a response: clients with a shifted clock are used once.
      const temporary = clientsOf();
      await runLater(minutes, () => run(reconcilerOf(temporary)));
      for (const client of Object.values(temporary)) client.destroy();
    },
    at: runLater,
    async request(body, claims = {}) {
      const response = await service.send('/v1/exports', { method: 'POST', body, claims });
      if (response.status !== 202) throw new Error(response.text);
      return response.json.id;
    },
    job: async (id, claims = {}) => (await service.send(`/v1/exports/${id}`, { claims })).json,
    elapse: (id, account = 'acct_1') => expireLease(service.client, account, id),
    async stop() {
      for (const client of Object.values(own)) client.destroy();
      await Promise.all([service.stop(), files.stop()]);
    },
  };
};

/** Starts the service and workers for a test file. Each test begins with a new account and an empty queue. */
export const forEachTest = (begin: (service: Exports, account_id: string) => void): void => {
  let service: Exports;
  beforeAll(async () => {
    service = await startExports();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.purge();
    begin(service, `acct_${randomUUID().slice(0, 8)}`);
  });
};

const expireLease = async (client: DynamoDBDocumentClient, account_id: string, id: number): Promise<void> => {
  await client.send(
    new UpdateCommand({
      TableName: 'exports',
      Key: { account_id, id },
      UpdateExpression: 'SET #l = :zero, #d = :zero',
      ConditionExpression: 'attribute_exists(#d)',
      ExpressionAttributeNames: { '#l': 'lease_until', '#d': 'due_at' },
      ExpressionAttributeValues: { ':zero': 0 },
    }),
  );
};

/** Timers that stay real when the date is faked: without them the engines would stop. */
export const CLOCKS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** Runs `act` with `Date` this many minutes ahead; timers stay real. */
const runLater = async <T>(minutes: number, act: () => Promise<T>): Promise<T> => {
  jest.useFakeTimers({ now: Date.now() + minutes * 60_000, doNotFake: [...CLOCKS] });
  try {
    return await act();
  } finally {
    jest.useRealTimers();
  }
};
