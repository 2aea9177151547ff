import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { workers } from '#functions/workers.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { createS3Client } from '#shared/platform/files/bucket.ts';
import { createSqsClient } from '#shared/platform/queues/queue.ts';
import type { Worker } from '#shared/platform/worker.ts';
import { workerLambda } from '#shared/runtime/worker-runtime.ts';
import { accessOf } from './access.ts';
import type { injectCrashes } from './crash.ts';
import { lambdaContext } from './event.ts';
import { CLOCKS, recordOf } from './exports.ts';
import { rowsOf } from './invariants.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from './queue-and-files.ts';
import { type Answer, type Claims, type Service, startService } from './service.ts';

const HOUR_MS = 3_600_000;

/** A token that stays valid when a test moves the clock. */
const EXPIRY = Date.parse('2100-01-01T00:00:00Z') / 1000;

/** The service with the workers of webhooks. */
export interface Webhooks extends Service {
  readonly own: ReturnType<typeof clientsOf>;
  readonly queue: QueueAndFiles;
  /**
   * Moves the clock of this process, which then runs as before; timers stay real. It never goes back. The SDK's clients
   * still sign with the time of the engines, which reject another one.
   */
  moveClock(ms: number): void;
  /** A client of one account. */
  account(id?: string): Account;
  /** Dispatches the events of an account, as after the insert of a row into the outbox. */
  dispatch(account: string): Promise<void>;
  /** Runs a worker that runs on a schedule. */
  schedule(file: 'workers/publish-waiting-changes' | 'workers/reconcile'): Promise<void>;
  /** Makes the attempts of these messages; returns the number of those that failed. */
  deliver(messages: readonly object[]): Promise<number>;
  /** Makes the attempts of all messages in the queue, until it is empty. */
  drain(): Promise<void>;
  /** Makes the attempts that are due, as messages and the reconciler do, but without the queue's real delays. */
  deliverDue(account: Account): Promise<void>;
  /** Moves the clock to the next attempt or probe of an account, or by an hour, and makes the attempts that are due. */
  nextStep(account: Account): Promise<void>;
}

/** Headers, and claims of the token that differ. */
type More = Claims & { readonly headers?: Readonly<Record<string, string>> };

export interface Account {
  readonly id: string;
  call(method: string, path: string, body?: object, more?: More): Promise<Answer>;
  createEndpoint(receiver: { readonly url: string }, body?: object): Promise<Answer['json']>;
  createCustomer(name?: string): Promise<number>;
  /** Up to 100 deliveries, the oldest first. */
  deliveries(query?: string): Promise<readonly Answer['json'][]>;
  patchEndpoint(id: number, body: object): Promise<Answer['json']>;
  /** An action on an endpoint or a delivery, such as `webhook-endpoints/1/test`. */
  act(path: string, body?: object): Promise<Answer>;
}

const clientsOf = () => ({ dynamo: createDynamoClient(), s3: createS3Client(), sqs: createSqsClient() });

/** Keeps the time of responses from the SDK, which would take a moved clock for a wrong one, and repeat every refused call. */
const ignoreTime = ({ middlewareStack }: Parameters<typeof injectCrashes>[0][number]): void =>
  middlewareStack.add(
    // biome-ignore lint/suspicious/noExplicitAny: every client has its own types
    (next: any) => async (call: unknown) => {
      const result = await next(call);
      delete result.response?.headers?.date;
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'ignore-time' },
  );

/** @param allowsLocal whether receivers on this machine may get deliveries */
export const startWebhooks = async ({ allowsLocal = true } = {}): Promise<Webhooks> => {
  const messages = createSqsClient();
  const { promise, resolve } = Promise.withResolvers<QueueAndFiles>();
  const service = await startService(async () => {
    resolve(await startTestQueueAndFiles());
    return { ...(await promise).variables, WEBHOOK_ALLOW_LOCAL: String(allowsLocal) };
  }, messages);
  const queue = await promise;
  const own = clientsOf();
  const clients = [service.client, queue.sqs, messages, ...Object.values(own)];
  for (const client of clients) ignoreTime(client);
  const handlerOf = <E, R>(file: string) =>
    workerLambda(workers[file] as Worker, service.environment, own, accessOf(workers[file] as Worker)) as unknown as (
      event: E,
      context: ReturnType<typeof lambdaContext>,
    ) => Promise<R>;
  const dispatch = handlerOf<DynamoDBStreamEvent, void>('workers/publish-changes');
  const send = handlerOf<SQSEvent, SQSBatchResponse>('workers/deliver');

  /** The endpoints for which deliveries of an account wait. */
  const heldBy = async (account: string): Promise<Set<unknown>> =>
    new Set((await rowsOf(service, 'webhookDeliveries', account)).flatMap(({ held_by }) => held_by ?? []));

  const webhooks: Webhooks = {
    ...service,
    own,
    queue,
    moveClock(ms) {
      jest.useFakeTimers({ now: Date.now() + ms, doNotFake: [...CLOCKS], advanceTimers: 1 });
      for (const { config } of clients) config.systemClockOffset -= ms;
    },
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
    async deliverDue(account) {
      const now = new Date().toISOString();
      const account_id = account.id;
      const pending = await account.deliveries('&status=pending');
      const due = pending.filter(({ next_attempt_at }) => next_attempt_at !== null && next_attempt_at <= now);
      await webhooks.deliver(due.map(({ id }) => ({ account_id, webhook_delivery_id: id })));
      const held = [...(await heldBy(account_id))];
      await webhooks.deliver(held.map((webhook_endpoint_id) => ({ account_id, webhook_endpoint_id })));
      await webhooks.drain();
    },
    async nextStep(account) {
      const pending = await account.deliveries('&status=pending');
      const attempts = pending.flatMap(({ next_attempt_at }) => (next_attempt_at ? Date.parse(next_attempt_at) : []));
      const held = await heldBy(account.id);
      const endpoints = (await rowsOf(service, 'webhookEndpoints', account.id)).filter(({ id }) => held.has(id));
      const probes = endpoints.flatMap(({ status, probe_at }) => (status === 'enabled' ? Number(probe_at) : []));
      const times = [...attempts, ...probes];
      const next = Math.min(...(times.length > 0 ? times : [Date.now() + HOUR_MS]));
      webhooks.moveClock(Math.max(0, next - Date.now()) + 5);
      await webhooks.deliverDue(account);
    },
    async stop() {
      for (const client of [messages, ...Object.values(own)]) client.destroy();
      await Promise.all([service.stop(), queue.stop()]);
    },
  };
  return webhooks;
};

const accountOf = (service: Service, id: string): Account => {
  const call: Account['call'] = (method, path, body, { headers = {}, ...claims } = {}) =>
    service.send(path, {
      method,
      ...(body && { body }),
      headers: { ...(method === 'POST' && { 'idempotency-key': randomUUID() }), ...headers },
      claims: { account_id: id, exp: EXPIRY, ...claims },
    });
  return {
    id,
    call,
    async createEndpoint({ url }, body) {
      const response = await call('POST', '/v1/webhook-endpoints', { url, ...body });
      if (response.status !== 201) throw new Error(response.text);
      return response.json;
    },
    createCustomer: async (name = 'Ada') => (await call('POST', '/v1/customers', { name })).json.id,
    deliveries: async (query = '') => (await call('GET', `/v1/webhook-deliveries?limit=100&sort=id${query}`)).json.data,
    patchEndpoint: async (endpoint, body) => (await call('PATCH', `/v1/webhook-endpoints/${endpoint}`, body)).json,
    act: (path, body) => call('POST', `/v1/${path}`, body),
  };
};
