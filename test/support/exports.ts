import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, jest } from '@jest/globals';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { workers } from '#functions/workers.ts';
import type { Message } from '#shared/invoicing/queues.ts';
import { workerLambda } from '#shared/lambda/worker-runtime.ts';
import { s3 } from '#shared/platform/data/bucket.ts';
import { dynamo } from '#shared/platform/data/client.ts';
import { sqs } from '#shared/platform/data/queue.ts';
import type { Worker } from '#shared/platform/worker.ts';
import { lambdaContext } from './event.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from './queue-and-files.ts';
import { type Answer, type Claims, type Service, startService } from './service.ts';

/** The workers beside the service, on clients of their own, so that faults meet them alone. */
export interface Exports
  extends Service,
    Pick<QueueAndFiles, 'bucket' | 'receive' | 'files' | 'read' | 'uploads' | 'purge'> {
  readonly own: ReturnType<typeof clientsOf>;
  /** Has the worker do these messages, with this much time left. */
  work(
    messages: readonly (Message | string)[],
    options?: { remaining?: number; worker?: Worker },
  ): Promise<SQSBatchResponse>;
  /** Has the worker do what is on the queue, until there is nothing. */
  drain(options?: { remaining?: number; worker?: Worker }): Promise<void>;
  /** Has the reconciler run, so many minutes from now. */
  reconcile(minutes?: number): Promise<void>;
  /** Does something so many minutes later. */
  at<T>(minutes: number, act: () => Promise<T>): Promise<T>;
  /** Asks for an export, and answers its id; its message is on the queue. */
  request(body: object, claims?: Claims): Promise<number>;
  /** An export as its account sees it. */
  job(id: number, claims?: Claims): Promise<Answer['json']>;
  /** Lets time pass for a job: its lease ends, and the reconciler's turn comes. */
  elapse(id: number, account?: string): Promise<void>;
}

const clientsOf = () => ({ dynamo: dynamo(), s3: s3(), sqs: sqs() });

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
  // The tables' engine first: it may set the credentials that the other two are to take.
  const service = await startService(async () => {
    resolve(await startTestQueueAndFiles());
    return (await promise).variables;
  }, sqs());
  const files = await promise;
  const own = clientsOf();
  type Consume = (event: SQSEvent, context: ReturnType<typeof lambdaContext>) => Promise<SQSBatchResponse>;
  const handlerOf = (worker = workers['workers/export'] as Worker) =>
    workerLambda(worker, service.environment, own) as Consume;
  const reviewer = (clients: typeof own) =>
    workerLambda(workers['workers/reconcile'] as Worker, service.environment, clients) as (
      event: unknown,
      context: unknown,
    ) => Promise<void>;
  const run = (review: ReturnType<typeof reviewer>) => review({}, lambdaContext(60_000));

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
      if (minutes === 0) return run(reviewer(own));
      // The SDK's clients learn from an answer's date how wrong their clock is: these are for once.
      const passing = clientsOf();
      await later(minutes, () => run(reviewer(passing)));
      for (const client of Object.values(passing)) client.destroy();
    },
    at: later,
    async request(body, claims = {}) {
      const answer = await service.send('/v1/exports', { method: 'POST', body, claims });
      if (answer.status !== 202) throw new Error(answer.text);
      return answer.json.id;
    },
    job: async (id, claims = {}) => (await service.send(`/v1/exports/${id}`, { claims })).json,
    elapse: (id, account = 'acct_1') => elapsed(service.client, account, id),
    async stop() {
      for (const client of Object.values(own)) client.destroy();
      await Promise.all([service.stop(), files.stop()]);
    },
  };
};

/** Runs the workers for the tests of a file, each of which begins with an account of its own and an empty queue. */
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

const elapsed = async (client: DynamoDBDocumentClient, account_id: string, id: number): Promise<void> => {
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

/** What stands still beside the calendar's clock would stop the engines, too. */
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

/** Does something so many minutes later, as the calendar has it; timers go on as they do. */
const later = async <T>(minutes: number, act: () => Promise<T>): Promise<T> => {
  jest.useFakeTimers({ now: Date.now() + minutes * 60_000, doNotFake: [...CLOCKS] });
  try {
    return await act();
  } finally {
    jest.useRealTimers();
  }
};
