import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import type { QueueAndFiles } from '#test/support/engine/queue-and-files.ts';
import type { injectCrashes } from '#test/support/faults/crash.ts';
import { type Behavior, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { checkInvariants, rowsOf } from '#test/support/state/invariants.ts';
import type { Answer } from './client.ts';
import { CLOCKS } from './clock.ts';
import type { LocalService } from './local-service.ts';
import { type Makers, makers, newAccount } from './makers.ts';
import { publish, recordOf, startWorkers, type Workers } from './workers.ts';

const HOUR_MS = 3_600_000;

type Scheduled = `workers/${'publish-waiting-changes' | 'reconcile' | 'wake-webhook-endpoints'}`;

/** The service with the workers of webhooks. */
export interface Webhooks extends LocalService, Pick<Workers, 'own' | 'run'> {
  readonly queue: QueueAndFiles;
  /**
   * Moves the clock of this process, which then runs as before; timers stay real. It never goes back. The SDK's clients
   * still sign with the time of the engines, because the engines reject any other time.
   */
  moveClock(ms: number): void;
  /** A client of one account. */
  account(id?: string): Account;
  /** Publishes the events of an account, and wakes its endpoints, as after the insert of a row into the outbox. */
  dispatch(account: string): Promise<void>;
  /** Runs a worker that runs on a schedule, with this remaining time. */
  schedule(file: Scheduled, remaining?: number): Promise<void>;
  /** Handles these messages; returns the number of those that failed. */
  deliver(messages: readonly object[]): Promise<number>;
  /** Handles all messages in the queue, until it is empty. */
  drain(): Promise<void>;
  /** Does what is due in an account, as messages and the reconciler do, but without the queue's real delays. */
  deliverDue(account: Account): Promise<void>;
  /** Moves the clock to the next attempt or probe of an account, or by an hour, and does what is due. */
  nextStep(account: Account): Promise<void>;
  /** Moves the clock, runs the reconciler, and handles its messages. */
  reconcileAfter(ms: number): Promise<void>;
  /** Moves the clock to this time, and does what becomes due in an account on the way. */
  passUntil(account: Account, time: number): Promise<void>;
}

type Row = Record<string, unknown>;

/** The makers of one account, and its webhooks. */
export interface Account extends Makers {
  readonly id: string;
  createEndpoint(receiver: { readonly url: string }, body?: object): Promise<Answer['json']>;
  createCustomer(name?: string): Promise<number>;
  /** Creates customers, and publishes the events. */
  createEvents(count: number): Promise<void>;
  /** Up to 100 deliveries, the oldest first. */
  deliveries(query?: string): Promise<readonly Answer['json'][]>;
  patchEndpoint(id: number, body: object): Promise<Answer['json']>;
  /** The stored row of its first endpoint. */
  storedEndpoint(): Promise<Row>;
  /** The stored rows of its deliveries. */
  storedDeliveries(): Promise<Row[]>;
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
  variables = {},
}: {
  readonly allowsLocal?: boolean;
  readonly variables?: Readonly<Record<string, string>>;
} = {}): Promise<Webhooks> => {
  const allVariables = { WEBHOOK_ALLOW_LOCAL: String(allowsLocal), ...variables };
  const { service, queue, own, sender, run, drain, stop } = await startWorkers(allVariables);
  const clients = [service.client, queue.sqs, sender, ...Object.values(own)];
  for (const client of clients) ignoreTime(client);

  /** The messages that an account will need, with the times from which on they do something. */
  const timesOf = async ({ id: account_id }: Account): Promise<{ readonly message: object; readonly at: number }[]> =>
    (await rowsOf(service, 'webhookEndpoints', account_id)).flatMap(({ id, due_at }) =>
      due_at === undefined ? [] : [{ message: { account_id, webhook_endpoint_id: id }, at: Number(due_at) }],
    );

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
    dispatch: (account) => publish({ run }, account),
    schedule: (file, remaining) => run(file, {}, remaining),
    async deliver(messages) {
      const Records = messages.map((message) => recordOf(message));
      return (await run<SQSBatchResponse>('workers/deliver', { Records })).batchItemFailures.length;
    },
    drain: () => drain((bodies) => webhooks.deliver(bodies.map((body) => JSON.parse(body)))),
    async deliverDue(account) {
      const due = (await timesOf(account)).filter(({ at }) => at <= Date.now());
      await webhooks.deliver(due.map(({ message }) => message));
      await webhooks.drain();
    },
    async reconcileAfter(ms) {
      webhooks.moveClock(ms);
      await webhooks.schedule('workers/reconcile');
      await webhooks.drain();
    },
    async passUntil(account, time) {
      for (;;) {
        const next = Math.min(time, ...(await timesOf(account)).map(({ at }) => at));
        webhooks.moveClock(Math.max(0, next - Date.now()) + 5);
        await webhooks.deliverDue(account);
        if (Date.now() > time) return;
      }
    },
    async nextStep(account) {
      const times = (await timesOf(account)).map(({ at }) => at);
      const next = Math.min(...(times.length > 0 ? times : [Date.now() + HOUR_MS]));
      webhooks.moveClock(Math.max(0, next - Date.now()) + 5);
      await webhooks.deliverDue(account);
    },
    stop,
  };
  return webhooks;
};

const accountOf = (service: Webhooks, id: string): Account => {
  const make = makers(service, { account: id });
  const account: Account = {
    ...make,
    id,
    createEndpoint: ({ url }, body) => make.endpoint({ url, ...body }),
    createCustomer: async (name = 'Ada') => (await make.customer({ name })).id,
    async createEvents(count) {
      for (let i = 0; i < count; i++) await make.customer();
      await service.dispatch(id);
    },
    deliveries: async (query = '') => (await make.get(`/v1/webhook-deliveries?limit=100&sort=id${query}`)).data,
    patchEndpoint: async (endpoint, body) => (await make.send('PATCH', `/v1/webhook-endpoints/${endpoint}`, body)).json,
    storedEndpoint: async () => (await rowsOf(service, 'webhookEndpoints', id))[0] as Row,
    storedDeliveries: () => rowsOf(service, 'webhookDeliveries', id),
    act: (path, body) => make.send('POST', `/v1/${path}`, body),
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

/**
 * Starts the service for a test file. Each test begins with an empty queue, a new account and a receiver, and its rows must
 * have the invariants at its end.
 */
export const forEachWebhookTest = (
  behavior: Behavior,
  begin: (service: Webhooks, account: Account, receiver: TestReceiver) => void,
): void => {
  let service: Webhooks;
  let account: Account;
  let receiver: TestReceiver;
  beforeAll(async () => {
    service = await startWebhooks();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    await service.queue.purge();
    account = service.account();
    receiver = await startTestReceiver(behavior);
    begin(service, account, receiver);
  });
  afterEach(async () => {
    await receiver.close();
    await checkInvariants(service, account.id);
  });
};
