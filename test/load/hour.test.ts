import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SERVICE_ALARMS } from '#infra/monitoring/alarms.ts';
import { isGauge } from '#infra/monitoring/metrics.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { ROUND_MS } from '#shared/platform/jobs/seal.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { checkFeed } from '#test/support/state/check-feed.ts';
import { checkInvariants, rowsOf } from '#test/support/state/invariants.ts';
import { forEachLoad, type Load, print, tally } from './support/load.ts';

/* An hour of mixed traffic in steps of five minutes, the period of an alarm. Each scheduled worker runs once in a step. */

const ACCOUNTS = 50;
/** Of these accounts, each has a webhook endpoint. */
const WITH_ENDPOINT = 10;
const BUSY = 20;
const STEP_MINUTES = 5;
const STEPS = 60 / STEP_MINUTES;
/** In this step, the partitions of the busy account give less than it needs. */
const THROTTLED_STEP = 8;
/** In each step, the busy account pays an invoice by so many requests at the same time, so that they conflict. */
const PARALLEL = 4;
const WITHOUT_DELAY = { delayMs: 0 };

enableTelemetryOfFile();
let load: Load;
forEachLoad((started) => {
  load = started;
});

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver(behaviors.ok);
});
afterAll(() => receiver.close());

const random = chances(SEED);
const choose = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];

interface Client {
  readonly account: Account;
  readonly customers: number[];
  readonly invoices: number[];
}

/** One of the requests of a client; returns the status. */
const request = async ({ account, customers, invoices }: Client): Promise<number> => {
  const [customer_id, invoice_id] = [choose(customers), choose(invoices)];
  const kind = Math.floor(random() * 6);
  const send = async (method: string, path: string, body?: object, ids?: number[]) => {
    const { status, json } = await account.send(method, path, body);
    if (status === 201) ids?.push(json.id);
    return status;
  };
  if (kind === 0 || customer_id === undefined) return send('POST', '/v1/customers', { name: 'Ada' }, customers);
  if (kind === 1 || invoice_id === undefined)
    return send('POST', '/v1/invoices', { customer_id, total_cents: 1000, status: 'open' }, invoices);
  if (kind === 2) return send('POST', '/v1/payments', { invoice_id, amount_cents: 100 });
  if (kind === 3) return send('PATCH', `/v1/customers/${customer_id}`, { name: `Bob ${random()}` });
  return send('GET', kind === 4 ? '/v1/invoices?page=1' : `/v1/invoices/${invoice_id}`);
};

/** The workers, as the stream, the schedules and the queue run them in a step. */
const runWorkers = async (clients: readonly Client[]): Promise<void> => {
  const { service } = load;
  for (const some of batchesOf(clients, 5)) await Promise.all(some.map(({ account }) => service.dispatch(account.id)));
  await service.schedule('workers/publish-waiting-changes');
  await service.drain();
  await service.schedule('workers/reconcile');
  await service.schedule('workers/wake-webhook-endpoints');
  await service.drain();
  // Too short for a second round, which would wait in real time.
  await service.run('workers/seal', {}, ROUND_MS);
};

type Metrics = Awaited<ReturnType<typeof captureOutput>>['metrics'];

const valuesOf = (metrics: Metrics, metric: string): number[] =>
  metrics.filter(({ name }) => name === metric).map(({ value }) => value);

const sumOf = (metrics: Metrics, metric: string): number =>
  valuesOf(metrics, metric).reduce((sum, one) => sum + one, 0);

/** The alarms whose metric is above its threshold in the output of a step, and those of gauges that no worker has reported. */
const firedBy = (metrics: Metrics): string[] =>
  Object.entries(SERVICE_ALARMS).flatMap(([alarm, { metric, threshold }]) => {
    const values = valuesOf(metrics, metric);
    const isFiring = isGauge(metric)
      ? values.length === 0 || Math.max(...values) > threshold
      : sumOf(metrics, metric) > threshold;
    return isFiring ? [alarm] : [];
  });

interface Statuses {
  readonly busy: number[];
  readonly others: number[];
}

/** The requests of a step: those of the other accounts are sent during those of the busy one. */
const sendRequests = async (busy: Client, others: readonly Client[]): Promise<Statuses> => {
  const statuses: Statuses = { busy: [], others: [] };
  for (let round = 0; round < BUSY; round++) {
    const some = others.filter((_, i) => i % BUSY === round);
    const [own, foreign] = await Promise.all([
      Promise.all([request(busy), request(busy)]),
      Promise.all(some.map(request)),
    ]);
    statuses.busy.push(...own);
    statuses.others.push(...foreign);
  }
  const invoice_id = busy.invoices.at(-1);
  const pay = () => busy.account.send('POST', '/v1/payments', { invoice_id, amount_cents: 1 });
  const answers = await Promise.all(Array.from({ length: PARALLEL }, pay));
  statuses.busy.push(...answers.map(({ status }) => status));
  return statuses;
};

test(`${ACCOUNTS} accounts for an hour, one with ${BUSY} times the requests: nothing is lost, and only the alarm of throttles fires`, async () => {
  const { service } = load;
  const clients = Array.from(
    { length: ACCOUNTS },
    (): Client => ({ account: service.account(), customers: [], invoices: [] }),
  );
  const subscribed = clients.slice(0, WITH_ENDPOINT);
  for (const { account } of subscribed)
    await account.createEndpoint({ url: `${receiver.url}/${account.id}` }, { event_types: ['customer.created'] });
  const [busy, ...others] = clients as [Client, ...Client[]];
  const statuses: Statuses[] = [];
  const fired: string[][] = [];
  let throttles = 0;
  for (let step = 0; step < STEPS; step++) {
    const scale = step === THROTTLED_STEP ? 1 / 200 : 1;
    const { metrics } = await captureOutput(async () => {
      load.limit({ ...WITHOUT_DELAY, scale });
      statuses.push(await sendRequests(busy, others));
      load.limit(WITHOUT_DELAY);
      await runWorkers(clients);
    });
    fired.push(firedBy(metrics));
    if (step === THROTTLED_STEP) throttles = sumOf(metrics, 'TableThrottles');
    service.moveClock(STEP_MINUTES * 60_000);
  }
  load.limit();
  await runWorkers(clients);
  const created: string[] = [];
  for (const { account } of clients) {
    await checkFeed(service, account.id);
    await checkInvariants(service, account.id);
  }
  for (const { account } of subscribed) {
    const events = await rowsOf(service, 'events', account.id);
    created.push(
      ...events.filter(({ type }) => type === 'customer.created').map(({ id }) => `/${account.id} evt_${id}`),
    );
  }
  const received = new Set(receiver.requests.map(({ path, headers }) => `${path} ${headers['webhook-id']}`));
  const errors = statuses.map(({ busy, others }) =>
    [busy, others].map((some) => some.filter((one) => one >= 500).length),
  );
  const { conflicts } = load.engine;
  const all = tally(statuses.flatMap((some) => [...some.busy, ...some.others]));
  print({ statuses: all, errors, conflicts, fired, throttles, events: created.length, received: received.size });
  expect(received).toEqual(new Set(created));
  expect(fired.map((alarms) => alarms.join())).toEqual(
    fired.map((_, step) => (step === THROTTLED_STEP ? 'table-throttles' : '')),
  );
  expect(errors.map(([own, foreign], step) => [step === THROTTLED_STEP ? 0 : own, foreign])).toEqual(
    errors.map(() => [0, 0]),
  );
  expect(conflicts).toBeGreaterThan(0);
}, 300_000);
