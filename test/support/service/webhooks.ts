import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import type { Limiter } from '#local/engines/limits/limiter.ts';
import type { QueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import type { injectCrashes } from '#test/support/faults/crash.ts';
import { type Behavior, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { CLOCKS } from './clock.ts';
import { newAccount } from './makers.ts';
import type { Answer, Claims, Service } from './service.ts';
import { recordOf, startWorkers, type Workers } from './workers.ts';

const HOUR_MS = 3_600_000;

/** A token that stays valid when a test moves the clock. */
const EXPIRY = Date.parse('2100-01-01T00:00:00Z') / 1000;

/** The service with the workers of webhooks. */
export interface Webhooks extends Service, Pick<Workers, 'own' | 'run'> {
  readonly queue: QueueAndFiles;
  /**
   * Moves the clock of this process, which then runs as before; timers stay real. It never goes back. The SDK's clients
   * still sign with the time of the engines, because the engines reject any other time.
   */
  moveClock(ms: number): void;
  /** A client of one account. */
  account(id?: string): Account;
  /** Dispatches the events of an account, as after the insert of a row into the outbox. */
  dispatch(account: string): Promise<void>;
  /** Runs a worker that runs on a schedule, with this remaining time. */
  schedule(file: 'workers/publish-waiting-changes' | 'workers/reconcile', remaining?: number): Promise<void>;
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
  /** Creates customers, and dispatches the events. */
  createEvents(count: number): Promise<void>;
  /** Up to 100 deliveries, the oldest first. */
  deliveries(query?: string): Promise<readonly Answer['json'][]>;
  patchEndpoint(id: number, body: object): Promise<Answer['json']>;
  /** An action on an endpoint or a delivery, such as `webhook-endpoints/1/test`. */
  act(path: string, body?: object): Promise<Answer>;
}

/** Hides the time of responses from the SDK. Otherwise it would correct the moved clock, and repeat every refused call. */
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
export const startWebhooks = async ({
  allowsLocal = true,
  limiter,
  variables = {},
}: {
  readonly allowsLocal?: boolean;
  readonly limiter?: Limiter;
  readonly variables?: Readonly<Record<string, string>>;
} = {}): Promise<Webhooks> => {
  const allVariables = { WEBHOOK_ALLOW_LOCAL: String(allowsLocal), ...variables };
  const { service, queue, own, sender, run, drain, stop } = await startWorkers(allVariables, limiter);
  const clients = [service.client, queue.sqs, sender, ...Object.values(own)];
  for (const client of clients) ignoreTime(client);

  /** The endpoints for which deliveries of an account wait. */
  const heldBy = async (account: string): Promise<Set<unknown>> =>
    new Set((await rowsOf(service, 'webhookDeliveries', account)).flatMap(({ held_by }) => held_by ?? []));

  const webhooks: Webhooks = {
    ...service,
    own,
    run,
    queue,
    moveClock(ms) {
      jest.useFakeTimers({ now: Date.now() + ms, doNotFake: [...CLOCKS], advanceTimers: 1 });
      for (const { config } of clients) config.systemClockOffset -= ms;
    },
    account: (id = newAccount()) => accountOf(webhooks, id),
    async dispatch(account) {
      const Keys = { account_id: { S: account }, id: { N: '1' } };
      await run('workers/publish-changes', { Records: [{ eventName: 'INSERT', dynamodb: { Keys } }] });
    },
    schedule: (file, remaining) => run(file, {}, remaining),
    async deliver(messages) {
      const Records = messages.map((message) => recordOf(message));
      return (await run<SQSBatchResponse>('workers/deliver', { Records })).batchItemFailures.length;
    },
    drain: () => drain((bodies) => webhooks.deliver(bodies.map((body) => JSON.parse(body)))),
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
    stop,
  };
  return webhooks;
};

const accountOf = (service: Webhooks, id: string): Account => {
  const call: Account['call'] = (method, path, body, { headers = {}, ...claims } = {}) =>
    service.send(path, {
      method,
      ...(body && { body }),
      headers: { ...(method === 'POST' && { 'idempotency-key': randomUUID() }), ...headers },
      claims: { account_id: id, exp: EXPIRY, ...claims },
    });
  const account: Account = {
    id,
    call,
    async createEndpoint({ url }, body) {
      const response = await call('POST', '/v1/webhook-endpoints', { url, ...body });
      if (response.status !== 201) throw new Error(response.text);
      return response.json;
    },
    createCustomer: async (name = 'Ada') => (await call('POST', '/v1/customers', { name })).json.id,
    async createEvents(count) {
      for (let i = 0; i < count; i++) await account.createCustomer();
      await service.dispatch(id);
    },
    deliveries: async (query = '') => (await call('GET', `/v1/webhook-deliveries?limit=100&sort=id${query}`)).json.data,
    patchEndpoint: async (endpoint, body) => (await call('PATCH', `/v1/webhook-endpoints/${endpoint}`, body)).json,
    act: (path, body) => call('POST', `/v1/${path}`, body),
  };
  return account;
};

export interface TestReceiver extends Receiver {
  behavior: Behavior;
  /** When it was called, by the moved clock. */
  readonly calls: number[];
}

const startTestReceiver = async (behavior: Behavior): Promise<TestReceiver> => {
  const receiver: TestReceiver = Object.assign(
    await startReceiver((...exchange) => {
      receiver.calls.push(Date.now());
      return receiver.behavior(...exchange);
    }),
    { behavior, calls: [] },
  );
  return receiver;
};

/** Starts the service for a test file. Each test begins with an empty queue, a new account and a receiver. */
export const forEachWebhookTest = (
  behavior: Behavior,
  begin: (service: Webhooks, account: Account, receiver: TestReceiver) => void,
): void => {
  let service: Webhooks;
  let receiver: TestReceiver;
  beforeAll(async () => {
    service = await startWebhooks();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.queue.purge();
    receiver = await startTestReceiver(behavior);
    begin(service, service.account(), receiver);
  });
  afterEach(() => receiver.close());
};
