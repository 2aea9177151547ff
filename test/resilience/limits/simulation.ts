import type { Caller } from '#shared/platform/http/caller.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { type Limited, limit } from '#shared/platform/http/pipeline/steps/limit.ts';
import { type Counter, ThrottledError } from '#shared/platform/limits/counter.ts';
import { BURST_S, createMemory, Limiter } from '#shared/platform/limits/limiter.ts';
import { chances } from '#test/support/extent/seed.ts';
import { countersInMemory } from '#test/support/service/counters.ts';

export const RATE = 100;
const BURST = RATE * BURST_S;
const ACCOUNT = 'acct_1';
const CALLER = { account: ACCOUNT } as Caller;
/** A limit in real time that no simulation reaches. */
const HOUR_MS = 3_600_000;
/** Between the slowest and the fastest clock of the instances. */
const CLOCKS_APART_MS = 500;

/** A time with this many requests a second. */
export interface Phase {
  readonly seconds: number;
  readonly requestsPerSecond: number;
}

export interface Scenario {
  readonly operation: Operation;
  readonly instances: number;
  readonly phases: readonly Phase[];
  readonly seed: number;
  /** The share of the requests that an instance gets. Default: equal shares. */
  readonly weight?: (random: number) => number;
  /** The duration of a call to the counter. Default: 0. */
  readonly latencyMs?: number;
  /** The number of charges a second that the counter accepts; further charges are throttled. Default: no limit. */
  readonly chargesPerSecond?: number;
}

export interface Outcome {
  readonly requests: number;
  readonly refused: number;
  readonly reads: number;
  readonly writes: number;
  /** The largest part of the burst that was used at any time. */
  readonly used: number;
  /** The number of responses with `RateLimit`, and of those that are wrong by more than a tenth of the burst. */
  readonly stated: number;
  readonly off: number;
  /** The largest cost that was permitted within some time, as a part of `rate × time + burst`. */
  readonly worst: number;
}

/** Requests at random times through the step, in many instances of a function, with a simulated clock. */
export const simulate = async (scenario: Scenario): Promise<Outcome> => {
  const { operation, instances: count, phases, seed, weight = () => 1 } = scenario;
  const random = chances(seed);
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') };
  const calls = createCalls(clock, scenario);
  const instances = Array.from({ length: count }, () => {
    const offset = (random() - 0.5) * CLOCKS_APART_MS;
    const onUncounted = (error: Error) => {
      if (!(error instanceof ThrottledError)) throw error;
    };
    const now = () => clock.now + offset;
    return new Limiter({
      ...{ rate: RATE, counter: calls.counter, now, random, onUncounted },
      memory: createMemory(HOUR_MS),
    });
  });
  const choose = chooser(instances.map(() => weight(random())));
  const cost = operation.cost;
  const permitted: number[] = [];
  const budget = createBudget(cost);
  let requests = 0;
  for (const { seconds, requestsPerSecond } of phases) {
    const end = clock.now + seconds * 1000;
    for (;;) {
      const next = clock.now - (Math.log(1 - random()) * 1000) / requestsPerSecond;
      await calls.completeUntil(Math.min(next, end));
      clock.now = Math.min(next, end);
      if (next >= end) break;
      requests += 1;
      const index = permitted.push(Number.NaN) - 1;
      const instance = instances[choose(random())] as Limiter;
      const decision = isPermitted(operation, instance);
      const record = (isYes: boolean, at = next) => {
        if (!isYes) return;
        permitted[index] = at;
        budget.use(at, instance.remaining(ACCOUNT));
      };
      if (typeof decision === 'boolean') record(decision);
      else if (scenario.latencyMs) void decision.then((isYes) => record(isYes));
      else record(await decision);
    }
  }
  await calls.completeUntil(Number.POSITIVE_INFINITY);
  const times = permitted.filter((at) => !Number.isNaN(at));
  const refused = requests - times.length;
  return { requests, refused, ...calls.counts, ...budget.counts, worst: worstOf(times, cost) };
};

/** Compares the rest of the budget, after the permitted requests, with the rest that responses state. */
const createBudget = (cost: number) => {
  const counts = { stated: 0, off: 0 };
  let arrivalTime = 0;
  return {
    counts,
    use(at: number, stated: number | undefined): void {
      arrivalTime = Math.max(arrivalTime, at) + (cost * 1000) / RATE;
      if (stated === undefined) return;
      counts.stated += 1;
      const left = BURST - ((arrivalTime - at) * RATE) / 1000;
      if (Math.abs(stated - left) > 0.1 * BURST) counts.off += 1;
    },
  };
};

const isPermitted = (endpoint: Operation, limiter: Limiter): boolean | Promise<boolean> => {
  try {
    const { refusal } = limit.run({ caller: CALLER }, { endpoint, limiter }) as Limited;
    return refusal?.then((refused) => refused === undefined) ?? true;
  } catch {
    return false;
  }
};

/** A counter in memory, whose calls take effect in the middle of their latency. */
const createCalls = (
  clock: { now: number },
  { latencyMs = 0, chargesPerSecond = Number.POSITIVE_INFINITY }: Pick<Scenario, 'latencyMs' | 'chargesPerSecond'>,
) => {
  const memory = countersInMemory();
  const throttle = createThrottle(clock, chargesPerSecond);
  const counts = { reads: 0, writes: 0, used: 0 };
  const pending: { readonly at: number; readonly run: () => void }[] = [];
  const later = <T>(work: () => Promise<T>): Promise<T> =>
    latencyMs === 0
      ? work()
      : new Promise((resolve) => pending.push({ at: clock.now + latencyMs / 2, run: () => resolve(work()) }));
  const counter: Counter = {
    read: (account, signal) => {
      counts.reads += 1;
      return later(() => memory.read(account, signal));
    },
    charge: (account, charge, signal) => {
      // A wrong guess is a write whose condition fails.
      return later(async () => {
        throttle();
        const charged = await memory.charge(account, charge, signal);
        counts.writes += charged.wasBusy === charge.isBusy || !charged.isCharged ? 1 : 2;
        counts.used = Math.max(counts.used, ((charged.arrivalTime - clock.now) * RATE) / 1000 / BURST);
        return charged;
      });
    },
  };
  return {
    counter,
    counts,
    async completeUntil(time: number) {
      for (let next = pending[0]; next && next.at <= time; next = pending[0]) {
        clock.now = next.at;
        pending.shift()?.run();
        await new Promise(setImmediate);
      }
    },
  };
};

/** DynamoDB permits an item a number of writes a second; here, the unused writes of the last second at once. */
const createThrottle = (clock: { now: number }, perSecond: number) => {
  let [tokens, at] = [perSecond, clock.now];
  return (): void => {
    tokens = Math.min(perSecond, tokens + ((clock.now - at) * perSecond) / 1000);
    at = clock.now;
    if (tokens < 1) throw new ThrottledError();
    tokens -= 1;
  };
};

/** A function from a random number to an index, by weight. */
const chooser = (weights: readonly number[]) => {
  const sum = weights.reduce((a, b) => a + b, 0);
  const ends: number[] = [];
  for (const one of weights) ends.push((ends.at(-1) ?? 0) + one / sum);
  return (random: number): number => {
    let [from, to] = [0, ends.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (random < (ends[middle] as number)) to = middle;
      else from = middle + 1;
    }
    return from;
  };
};

const WINDOWS_MS = [1, 30, 100, 300, 1000, 3000, 10_000, 30_000, 60_000];

const worstOf = (times: readonly number[], cost: number): number =>
  Math.max(...WINDOWS_MS.map((window) => (mostWithin(times, window) * cost) / ((RATE * window) / 1000 + BURST)));

const mostWithin = (times: readonly number[], window: number): number => {
  let [first, most] = [0, 0];
  for (const [i, at] of times.entries()) {
    while (at - (times[first] as number) > window) first += 1;
    most = Math.max(most, i - first + 1);
  }
  return most;
};
