import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { workers } from '#functions/workers.ts';
import { workerLambda } from '#shared/lambda/worker-runtime.ts';
import { createS3Client } from '#shared/platform/data/bucket.ts';
import { createDynamoClient } from '#shared/platform/data/client.ts';
import { FEED } from '#shared/platform/data/feed-access.ts';
import { createSqsClient } from '#shared/platform/data/queue.ts';
import type { Worker } from '#shared/platform/worker.ts';
import { lambdaContext } from './event.ts';
import { recordOf } from './exports.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from './queue-and-files.ts';
import { type Answer, type Service, startService } from './service.ts';

/** The service with the workers of webhooks, and a clock that a test moves. */
export interface Webhooks extends Service {
  readonly own: ReturnType<typeof clientsOf>;
  readonly queue: QueueAndFiles;
  /** A client of one account. */
  account(id?: string): Account;
  /** Dispatches the events of an account, as after the insert of a row into the outbox. */
  dispatch(account: string): Promise<void>;
  /** Runs a worker that runs on a schedule. */
  schedule(file: 'workers/publish' | 'workers/reconcile'): Promise<void>;
  /** Makes the attempts of these messages; returns the number of those that failed. */
  deliver(messages: readonly object[]): Promise<number>;
  /** Makes the attempts of all messages in the queue, until it is empty. */
  drain(): Promise<void>;
}

export interface Account {
  readonly id: string;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  createEndpoint(body: object): Promise<Answer['json']>;
  createCustomer(name?: string): Promise<number>;
  /** All deliveries, the oldest first. */
  deliveries(query?: string): Promise<readonly Answer['json'][]>;
}

const clientsOf = () => ({ dynamo: createDynamoClient(), s3: createS3Client(), sqs: createSqsClient() });

/** @param allowsLocal whether receivers on this machine may get deliveries */
export const startWebhooks = async ({ allowsLocal = true } = {}): Promise<Webhooks> => {
  const { promise, resolve } = Promise.withResolvers<QueueAndFiles>();
  const service = await startService(async () => {
    resolve(await startTestQueueAndFiles());
    return { ...(await promise).variables, WEBHOOK_ALLOW_LOCAL: String(allowsLocal) };
  }, createSqsClient());
  const queue = await promise;
  const own = clientsOf();
  const handlerOf = <E, R>(file: string) =>
    workerLambda(workers[file] as Worker, service.environment, own, FEED) as unknown as (
      event: E,
      context: ReturnType<typeof lambdaContext>,
    ) => Promise<R>;
  const dispatch = handlerOf<DynamoDBStreamEvent, void>('workers/dispatch');
  const send = handlerOf<SQSEvent, SQSBatchResponse>('workers/deliver');

  const webhooks: Webhooks = {
    ...service,
    own,
    queue,
    account: (id = `acct_${randomUUID().slice(0, 8)}`) => accountOf(service, id),
    async dispatch(account) {
      const Keys = { account_id: { S: account }, id: { N: '1' } };
      await dispatch({ Records: [{ eventName: 'INSERT', dynamodb: { Keys } }] }, lambdaContext(60_000));
    },
    schedule: (file) => handlerOf<object, void>(file)({}, lambdaContext(60_000)),
    async deliver(messages) {
      const Records = messages.map((message) => recordOf(JSON.stringify(message)));
      return (await send({ Records }, lambdaContext(60_000))).batchItemFailures.length;
    },
    async drain() {
      for (;;) {
        const messages = await queue.receive();
        if (messages.length === 0) return;
        await webhooks.deliver(messages.map(({ Body = '' }) => JSON.parse(Body)));
      }
    },
    async stop() {
      for (const client of Object.values(own)) client.destroy();
      await Promise.all([service.stop(), queue.stop()]);
    },
  };
  return webhooks;
};

const accountOf = (service: Service, id: string): Account => {
  const call: Account['call'] = (method, path, body, headers = {}) =>
    service.send(path, {
      method,
      ...(body && { body }),
      headers: { ...(method === 'POST' && { 'idempotency-key': randomUUID() }), ...headers },
      claims: { account_id: id },
    });
  return {
    id,
    call,
    async createEndpoint(body) {
      const response = await call('POST', '/v1/webhook-endpoints', body);
      if (response.status !== 201) throw new Error(response.text);
      return response.json;
    },
    createCustomer: async (name = 'Ada') => (await call('POST', '/v1/customers', { name })).json.id,
    deliveries: async (query = '') => (await call('GET', `/v1/webhook-deliveries?limit=100${query}`)).json.data,
  };
};
