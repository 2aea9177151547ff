import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { SERVICE_ALARMS } from '#infra/monitoring/alarms.ts';
import { type CountedMetric, isGauge } from '#infra/monitoring/metrics.ts';
import { createMemory } from '#shared/platform/limits/limiter.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { type Fault, type Faults, injectFaults, type Plan } from '#test/support/faults/faults.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';
import { createSealer } from '#test/support/state/pages.ts';

const MINUTE_MS = 60_000;
/** The sealer makes one round in this time. */
const ROUND_MS = 14_000;
/** More items than a worker handles at a time. */
const MANY = 40;

enableTelemetryOfFile();
const memory = createMemory(20_000);
let service: Webhooks;
let limited: LocalService;
let requests: Faults;
let workers: Faults;
let counters: Faults;
beforeAll(async () => {
  service = await startWebhooks();
  // A client reads its endpoint at its first call, which must come before another service starts.
  await service.schedule('workers/reconcile');
  limited = await startService({ RATE_LIMIT_PER_SECOND: '1' }, { memory });
  [requests, workers, counters] = [service.client, service.own.dynamo, limited.client].map(injectFaults) as [
    Faults,
    Faults,
    Faults,
  ];
  for (const client of [service.client, service.own.dynamo, limited.client]) await retryWithoutDelay(client);
  // No pause between two attempts.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  for (const faults of [requests, workers, counters]) faults.plan();
  memory.unreachableUntil = 0;
});
afterAll(async () => {
  jest.restoreAllMocks();
  jest.useRealTimers();
  await Promise.all([limited.stop(), service.stop()]);
});

const newCaller = (target: LocalService = service): Makers => makers(target, { account: newAccount() });
const inTurn = async (count: number, act: (i: number) => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < count; i++) await act(i);
};

/** Creates a customer, and some attempts of its transaction fail. */
const create = async (fault: Fault, count: number): Promise<void> => {
  let left = count;
  requests.plan(({ command }) => (command === 'TransactWriteItemsCommand' && left-- > 0 ? fault : undefined));
  await newCaller().customer();
};

/** Reads with keys of the issuer that can be fetched, or cannot. */
const read = async (isReachable: boolean): Promise<void> => {
  const own = await startService(isReachable ? {} : { JWKS_URL: 'http://127.0.0.1:1/jwks.json' });
  await inTurn(3, () => newCaller(own).send('GET', '/v1/customers'));
  await own.stop();
};

/** Creates events that wait for a webhook endpoint. */
const createUnsentEvents = async (count: number): Promise<void> => {
  const caller = newCaller();
  await caller.create('webhook-endpoints', { url: 'https://example.com/hooks' });
  await inTurn(count, () => caller.customer());
  await caller.list('/v1/events');
};

/** Creates tests of webhook endpoints, each of another account, whose messages are lost. */
const createUnsentTests = (count: number) =>
  inTurn(count, async () => {
    const caller = newCaller();
    const { id } = await caller.endpoint();
    await caller.send('POST', `/v1/webhook-endpoints/${id}/test`);
  });

const createChanges = (count: number) => inTurn(count, () => newCaller().customer());
const createExports = (count: number) =>
  inTurn(count, () => newCaller().create('exports', { type: 'customers', format: 'csv' }));
const requestSealing = (count: number) =>
  inTurn(count, () => createSealer(service).index(newAccount(), 'customers').request());

/** A worker that measures how long work has waited. */
interface Measured {
  readonly worker: string;
  readonly createWork: (count: number) => Promise<unknown>;
  /** The time after which the alarm reports the work, in minutes. */
  readonly minutes: number;
  readonly plan?: Plan;
}

const MEASURED: Readonly<Record<string, Measured>> = {
  'overdue-exports': { worker: 'workers/reconcile', createWork: createExports, minutes: 16 },
  'waiting-webhooks': { worker: 'workers/wake-webhook-endpoints', createWork: createUnsentEvents, minutes: 7 },
  'overdue-webhooks': { worker: 'workers/reconcile', createWork: createUnsentTests, minutes: 12 },
  'waiting-events': {
    worker: 'workers/publish-waiting-changes',
    createWork: createChanges,
    minutes: 2,
    plan: ({ command }) => (command === 'TransactWriteItemsCommand' ? 'crash-before' : undefined),
  },
  'overdue-sealing': { worker: 'workers/seal', createWork: requestSealing, minutes: 16 },
};

const measure = async ({ worker, createWork, minutes, plan }: Measured, isDisturbed: boolean): Promise<void> => {
  await createWork(1);
  if (isDisturbed) {
    service.moveClock(minutes * MINUTE_MS);
    workers.plan(plan);
  }
  await service.run(worker, {}, ROUND_MS);
};

/** For each alarm: if `isDisturbed`, makes its metric cross the threshold; otherwise keeps the metric below. */
const SCENARIOS: Readonly<Record<string, (isDisturbed: boolean) => Promise<unknown>>> = {
  'table-throttles': (isDisturbed) => inTurn(isDisturbed ? 11 : 1, () => create('throttling', 1)),
  'transaction-conflicts': (isDisturbed) => create('conflict', isDisturbed ? 501 : 1),
  'jwks-failures': (isDisturbed) => read(!isDisturbed),
  'requests-over-limit': (isDisturbed) => {
    const { send } = newCaller(limited);
    return inTurn(isDisturbed ? 1100 : 5, () => send('GET', '/v1/customers'));
  },
  'limits-unreachable': (isDisturbed) => {
    if (isDisturbed) counters.plan(({ command }) => (command === 'UpdateItemCommand' ? 'crash-before' : undefined));
    return inTurn(101, () => {
      memory.unreachableUntil = 0;
      return newCaller(limited).customer();
    });
  },
  ...Object.fromEntries(Object.entries(MEASURED).map(([id, one]) => [id, (is: boolean) => measure(one, is)])),
};

/** The value of the metric in the period of an alarm. */
const amountOf = (metric: CountedMetric, metrics: readonly { name: string; value: number }[]): number => {
  const values = metrics.filter(({ name }) => name === metric).map(({ value }) => value);
  return isGauge(metric) ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
};

test('every alarm of the metrics of the service: it has a scenario, and no scenario is without an alarm', () => {
  expect(Object.keys(SCENARIOS).toSorted()).toEqual(Object.keys(SERVICE_ALARMS).toSorted());
  const gauges = Object.entries(SERVICE_ALARMS).filter(([, { metric }]) => isGauge(metric));
  expect(Object.keys(MEASURED).toSorted()).toEqual(gauges.map(([id]) => id).toSorted());
});

test.each(partOf(Object.entries(SERVICE_ALARMS), 2))(
  '%s: the scenario crosses the threshold, and not without its fault',
  async (id, alarm) => {
    const run = SCENARIOS[id] as NonNullable<(typeof SCENARIOS)[string]>;
    const undisturbed = await captureOutput(() => run(false));
    expect(amountOf(alarm.metric, undisturbed.metrics)).toBeLessThanOrEqual(alarm.threshold);
    const disturbed = await captureOutput(() => run(true));
    expect(amountOf(alarm.metric, disturbed.metrics)).toBeGreaterThan(alarm.threshold);
  },
);

test.each(Object.entries(MEASURED))(
  '%s, the time of a run ends before it has read all work: it reports nothing',
  async (id, { worker, createWork }) => {
    await service.run(worker, {}, ROUND_MS);
    await createWork(MANY);
    // Deliveries are due after a minute; changes are overdue after a minute.
    if (worker === 'workers/reconcile') service.moveClock(2 * MINUTE_MS);
    workers.plan(({ number }) => {
      if (number === 1) service.moveClock(ROUND_MS);
      return undefined;
    });
    const { metrics } = await captureOutput(() => service.run(worker, {}, ROUND_MS));
    expect(metrics.filter(({ name }) => name === SERVICE_ALARMS[id]?.metric)).toEqual([]);
  },
);

test.each(['overdue-exports', 'overdue-webhooks'])(
  '%s, its rows cannot be written: the run reports nothing, and the next one does',
  async (id) => {
    const { worker, createWork } = MEASURED[id] as Measured;
    const countOf = async () => {
      const { metrics } = await captureOutput(() => service.run(worker, {}, ROUND_MS));
      return metrics.filter(({ name }) => name === SERVICE_ALARMS[id]?.metric).length;
    };
    // Other tests leave rows.
    await countOf();
    await createWork(1);
    service.moveClock(2 * MINUTE_MS);
    workers.plan(({ command }) => (/^(Put|Update|TransactWrite)/.test(command) ? 'crash-before' : undefined));
    expect(await countOf()).toBe(0);
    workers.plan();
    expect(await countOf()).toBe(1);
  },
);
