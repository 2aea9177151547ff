import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HEAD_ID } from '#shared/platform/commit/outbox-row.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { type Behavior, behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { below, type Chance, pick } from '#test/support/requests/random-requests.ts';
import { type Account, startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';
import { type FeedEvent, follow } from '#test/support/state/feed.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/*
 * Random schedules: workers die before or after AWS calls, messages are lost and duplicated, several workers run at the
 * same time, while endpoints are created, changed, disabled, enabled, rewound, rotated and deleted, and receivers answer,
 * fail, hang, alternate or reject one type (CONTRACT §15). `SEED` repeats the random choices, `RUNS` sets their number.
 */

const RUNS = extent({ full: 300, part: 10 });
const STEPS = 25;
const CRASH_SHARE = 0.04;
const MAX_ENDPOINTS = 4;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Answers 500 and 200 in turn. */
const alternating = (): Behavior => {
  let requests = 0;
  return (...exchange) => (++requests % 2 === 1 ? behaviors.failing : behaviors.ok)(...exchange);
};

/** Rejects the creations of customers. */
const rejecting: Behavior = (request, response) => {
  const body = receiver.requests.findLast(({ path }) => path === request.url)?.body ?? '{}';
  (JSON.parse(body).type === 'customer.created' ? behaviors.failing : behaviors.ok)(request, response);
};

/** The receivers that end an attempt at once. */
const ZOO = [
  'ok',
  'accepted',
  'failing',
  'gone',
  'throttling',
  'redirecting',
  'resetting',
  'closing',
  'brokenBody',
  'noHttp',
  'upgrading',
] as const satisfies readonly (keyof typeof behaviors)[];

const pickBehavior = (): Behavior =>
  pick(chance, [behaviors.ok, alternating(), rejecting, behaviors[pick(chance, ZOO)]]);

const TYPES = [['*'], ['customer.created'], ['customer.created', 'customer.updated']];

let service: Webhooks;
let receiver: Receiver;
let chance: Chance;
/** The behavior of the receiver by path. Each endpoint has a different path. */
const behaviorAt = new Map<string, Behavior>();
/** The worker that makes the call. A dead one makes no further call. */
const invocations = new AsyncLocalStorage<{ isDead: boolean }>();
let crashes = 0;

class CrashError extends Error {}

const injectRandomCrashes = (client: { readonly middlewareStack: unknown }): void => {
  const { middlewareStack } = client as typeof service.own.dynamo;
  middlewareStack.add(
    (next) => async (call) => {
      const invocation = invocations.getStore();
      if (!invocation) return next(call);
      const isHere = chance() < CRASH_SHARE;
      const isBefore = chance() < 1 / 2;
      if (isHere && !invocation.isDead) crashes++;
      if (isHere && isBefore) invocation.isDead = true;
      if (invocation.isDead) throw new CrashError();
      const result = await next(call);
      if (isHere) invocation.isDead = true;
      if (invocation.isDead) throw new CrashError();
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'random-crashes' },
  );
};

beforeAll(async () => {
  service = await startWebhooks();
  for (const client of Object.values(service.own)) injectRandomCrashes(client);
  receiver = await startReceiver((request, response) => behaviorAt.get(request.url ?? '')?.(request, response));
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

/** Runs a worker that may die. */
const mayDie = (work: () => Promise<unknown>): Promise<unknown> =>
  invocations.run({ isDead: false }, work).catch((error) => {
    if (!(error instanceof CrashError)) throw error;
  });

interface Subscription {
  readonly account: Account;
  readonly id: number;
  /** The paths that it had, the current one last. */
  readonly paths: string[];
  /** The types of all of its states: an event of these types is wanted for certain. */
  types: readonly string[];
  rewinds: number;
  isDeleted: boolean;
}

/** Accounts with their endpoints, and the steps that change them. */
class Schedule {
  readonly accounts = [service.account(), service.account()];
  readonly subscriptions: Subscription[] = [];

  readonly #steps: readonly (() => Promise<unknown>)[] = [
    () => pick(chance, this.accounts).createCustomer(),
    () => pick(chance, this.accounts).createCustomer(),
    () => this.#subscribe(),
    () => this.#change((id, account) => account.patchEndpoint(id, { status: 'disabled' })),
    () => this.#change((id, account) => account.patchEndpoint(id, { status: 'enabled' })),
    () => this.#change((id, account) => account.act(`webhook-endpoints/${id}/test`)),
    () => this.#change((id, account) => account.act(`webhook-endpoints/${id}/rotate-secret`)),
    () => this.#changeTypes(),
    () => this.#changeUrl(),
    () => this.#rewind(),
    () => (chance() < 1 / 3 ? this.#remove() : Promise.resolve()),
    () => this.#retry(),
    () => this.#dispatch(),
    () => this.#dispatch(),
    () => this.#deliver(),
    () => this.#deliver(),
    () => this.#deliver(),
    () => mayDie(() => service.schedule('workers/publish-waiting-changes')),
    () => mayDie(() => service.schedule('workers/wake-webhook-endpoints')),
    () => mayDie(() => service.schedule('workers/reconcile')),
    async () => service.moveClock(pick(chance, [6000, MINUTE, 6 * MINUTE, HOUR, 12 * HOUR])),
  ];

  async run(): Promise<void> {
    for (const account of this.accounts) await this.#subscribe(account);
    for (let step = 0; step < STEPS; step++) {
      const concurrent = Array.from({ length: 1 + below(chance, 3) }, () => pick(chance, this.#steps)());
      await Promise.all(concurrent);
    }
  }

  async #subscribe(account = pick(chance, this.accounts)): Promise<void> {
    const own = this.subscriptions.filter((one) => one.account === account && !one.isDeleted);
    if (own.length >= MAX_ENDPOINTS) return;
    const path = this.#newPath(account);
    const types = pick(chance, TYPES);
    const { id } = await account.createEndpoint({ url: receiver.url + path }, { event_types: types });
    this.subscriptions.push({ account, id, paths: [path], types, rewinds: 0, isDeleted: false });
  }

  #newPath(account: Account): string {
    const path = `/${account.id}/${this.subscriptions.length}/${crypto.randomUUID()}`;
    behaviorAt.set(path, pickBehavior());
    return path;
  }

  async #changeTypes(): Promise<void> {
    const one = pick(chance, this.subscriptions);
    const types = pick(chance, TYPES);
    one.types = wantedByBoth(one.types, types);
    await one.account.patchEndpoint(one.id, { event_types: types });
  }

  async #changeUrl(): Promise<void> {
    const one = pick(chance, this.subscriptions);
    const path = this.#newPath(one.account);
    one.paths.push(path);
    await one.account.patchEndpoint(one.id, { url: receiver.url + path });
  }

  async #change(act: (id: number, account: Account) => Promise<unknown>): Promise<void> {
    const { id, account } = pick(chance, this.subscriptions);
    await act(id, account);
  }

  async #rewind(): Promise<void> {
    const one = pick(chance, this.subscriptions);
    one.rewinds += 1;
    await one.account.act(`webhook-endpoints/${one.id}/rewind`, { sequence: below(chance, 6) });
  }

  async #remove(): Promise<void> {
    const one = pick(chance, this.subscriptions);
    one.isDeleted = true;
    await one.account.send('DELETE', `/v1/webhook-endpoints/${one.id}`);
  }

  async #retry(): Promise<void> {
    const account = pick(chance, this.accounts);
    const ended = (await account.deliveries()).filter(({ status }) => status !== 'pending');
    if (ended.length > 0) await account.act(`webhook-deliveries/${pick(chance, ended).id}/retry`);
  }

  #dispatch(): Promise<unknown> {
    return mayDie(() => service.dispatch(pick(chance, this.accounts).id));
  }

  /** Delivers messages, of which some are lost and some come twice. */
  async #deliver(): Promise<void> {
    const messages = (await service.queue.receive()).map(({ Body = '' }) => JSON.parse(Body));
    const copies = messages.flatMap((message) => Array(pick(chance, [0, 1, 1, 1, 1, 1, 1, 2])).fill(message));
    await Promise.all(copies.map((message) => mayDie(() => service.deliver([message]))));
  }
}

const wantedByBoth = (some: readonly string[], others: readonly string[]): readonly string[] => {
  if (some.includes('*')) return others;
  return others.includes('*') ? some : some.filter((type) => others.includes(type));
};

type Row = Awaited<ReturnType<typeof rowsOf>>[number];

/** Lets all receivers work, enables all endpoints, and runs all workers without crashes until nothing is pending. */
const runUntilQuiet = async ({ accounts, subscriptions }: Schedule): Promise<Row[]> => {
  for (const path of subscriptions.flatMap(({ paths }) => paths)) behaviorAt.set(path, behaviors.ok);
  for (const { account, id, isDeleted } of subscriptions)
    if (!isDeleted) await account.patchEndpoint(id, { status: 'enabled' });
  for (const { id } of accounts) await service.dispatch(id);
  // If the only message of a deletion was lost, an audit finds the deliveries.
  for (const { account, id, isDeleted } of subscriptions)
    if (isDeleted) await service.deliver([{ account_id: account.id, webhook_endpoint_id: id }]);
  for (let round = 0; round < 200; round++) {
    await service.drain();
    const rows = (await Promise.all(accounts.map(({ id }) => rowsOf(service, 'webhookDeliveries', id)))).flat();
    const endpoints = (await Promise.all(accounts.map(({ id }) => rowsOf(service, 'webhookEndpoints', id)))).flat();
    const heads = new Map(await Promise.all(accounts.map(async ({ id }) => [id, await headOf(id)] as const)));
    const isBehind = ({ account_id, position }: Row) => Number(position) < Number(heads.get(String(account_id)));
    const pending = rows.filter(({ status }) => status === 'pending');
    const isAnyBehind = endpoints.some(isBehind);
    if (pending.length === 0 && !isAnyBehind) return rows;
    // The lease of a pump that has died must end first.
    const due = endpoints.flatMap(({ due_at, lease_until }) =>
      due_at === undefined ? [] : [Math.max(Number(due_at), Number(lease_until))],
    );
    service.moveClock(Math.max(0, Math.min(Date.now() + HOUR, ...due) - Date.now()) + 5);
    await service.schedule('workers/reconcile');
    await service.schedule('workers/wake-webhook-endpoints');
  }
  throw new Error('Something is still waiting after 200 rounds.');
};

/** The sequence of the last event of an account. */
const headOf = async (account: string): Promise<number> =>
  Number((await rowsOf(service, 'outbox', account)).find(({ id }) => id === HEAD_ID)?.['sequence'] ?? 0);

const checkSubscription = (
  { account, id, paths, types, rewinds, isDeleted }: Subscription,
  rows: readonly Row[],
  events: readonly FeedEvent[],
): void => {
  const name = `${account.id} ${id}`;
  const own = rows.filter(({ webhook_endpoint_id }) => webhook_endpoint_id === id);
  const byEvent = Map.groupBy(
    own.filter(({ event_id }) => event_id !== null),
    ({ event_id }) => event_id,
  );
  const ids = new Set(
    receiver.requests.filter(({ path }) => paths.includes(path)).map(({ headers }) => headers['webhook-id']),
  );
  for (const { status, event_id, error } of own) {
    expect([name, status]).toEqual([name, expect.stringMatching(isDeleted ? /^[sfc]/ : /^[sf]/)]);
    expect([name, error === null || status !== 'succeeded']).toEqual([name, true]);
    if (status === 'failed')
      expect([name, error]).toEqual([name, expect.objectContaining({ code: expect.any(String) })]);
    if (status === 'succeeded' && event_id !== null) expect([name, ids.has(`evt_${event_id}`)]).toEqual([name, true]);
  }
  for (const [event, { length }] of byEvent) expect([name, event, length <= 1 + rewinds]).toEqual([name, event, true]);
  if (isDeleted) return;
  const creation = events.findIndex(
    ({ type, resource_id }) => type === 'webhook_endpoint.created' && resource_id === id,
  );
  const wanted = events.slice(creation + 1).filter(({ type }) => types.includes('*') || types.includes(type));
  const lost = wanted.filter((event) => !byEvent.has(event.id)).map(({ sequence, type }) => `${sequence} ${type}`);
  expect([name, lost]).toEqual([name, []]);
};

test(`${RUNS} random schedules: no event is lost, logged twice or sent to another account [CONTRACT §15]`, async () => {
  for (let run = 0; run < RUNS; run++) {
    await service.queue.purge();
    chance = chances(SEED + run);
    const schedule = new Schedule();
    await schedule.run();
    const rows = await runUntilQuiet(schedule);
    for (const account of schedule.accounts) {
      const { events } = await follow(service, { account: account.id });
      const own = new Set<number | null>([null, ...events.map(({ id }) => id)]);
      const received = receiver.requests.filter(({ path }) => path.startsWith(`/${account.id}/`));
      expect(received.filter(({ body }) => !own.has(JSON.parse(body).id))).toEqual([]);
      for (const one of schedule.subscriptions) if (one.account === account) checkSubscription(one, rows, events);
    }
  }
  expect([crashes > RUNS / 2, receiver.requests.length > 5 * RUNS]).toEqual([true, true]);
  process.stderr.write(`${RUNS} schedules, ${crashes} crashes, ${receiver.requests.length} requests\n`);
});
