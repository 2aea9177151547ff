import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Charge, Counter } from '#shared/platform/limits/counter.ts';
import { createCounter } from '#shared/platform/limits/table-counter.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { countersInMemory } from '#test/support/service/counters.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');

const { signal } = new AbortController();

let service: LocalService;
let faults: Faults;
let counter: Counter;
beforeAll(async () => {
  service = await startService();
  faults = injectFaults(service.client);
  const tableNames = new Proxy({}, { get: (_, name) => name }) as Record<never, string>;
  counter = createCounter({ client: service.client, tableNames } as Parameters<typeof createCounter>[0]);
});
afterAll(() => service.stop());

const charge = (rest: Partial<Charge> = {}): Charge => ({
  ...{ now: NOW, milliseconds: 50, latest: NOW + 950, isBusy: false },
  ...rest,
});
const calls = async (act: () => Promise<unknown>) => {
  faults.plan();
  const result = await act();
  return [faults.attempts.length, result];
};

test('an account without an item: read as 0; its first charge is one call and ends an hour later', async () => {
  const account = randomUUID();
  expect(await calls(() => counter.read(account, signal))).toEqual([1, 0]);
  const charged = { arrivalTime: NOW + 50, wasBusy: false, isCharged: true };
  expect(await calls(() => counter.charge(account, charge(), signal))).toEqual([1, charged]);
  expect(await rowsOf(service, 'limits', account)).toEqual([
    { account_id: account, tat: NOW + 50, expires_at: NOW / 1000 + 3600 },
  ]);
});

test.each([
  ['busy, as expected', 500, true, 1, 550],
  ['busy, against the expectation', 500, false, 2, 550],
  ['idle, as expected', -500, false, 1, 50],
  ['idle, against the expectation', -500, true, 2, 50],
] as const)(
  'an account that is %s: the charge is added after the later of now and its time',
  async (_, before, isBusy, count, after) => {
    const account = randomUUID();
    await counter.charge(account, charge({ now: NOW + before - 50 }), signal);
    const charged = { arrivalTime: NOW + after, wasBusy: before > 0, isCharged: true };
    expect(await calls(() => counter.charge(account, charge({ isBusy }), signal))).toEqual([count, charged]);
  },
);

test('an arrival time later than the limit: nothing is charged, after one call', async () => {
  const account = randomUUID();
  await counter.charge(account, charge({ now: NOW + 950 }), signal);
  const refused = { arrivalTime: NOW + 1000, wasBusy: true, isCharged: false };
  for (const isBusy of [true, false])
    expect(await calls(() => counter.charge(account, charge({ isBusy }), signal))).toEqual([1, refused]);
});

test('random charges: the counters in memory, which simulations use, decide the same', async () => {
  const random = chances(SEED);
  const memory = countersInMemory();
  const account = randomUUID();
  let now = NOW;
  for (let run = 0; run < extent({ full: 2000, part: 40 }); run++) {
    now += Math.floor(random() * 120);
    const milliseconds = [10, 20, 50, 200][Math.floor(random() * 4)] as number;
    const one = {
      now: now - Math.floor(random() * 50),
      milliseconds,
      latest: now + 1000 - milliseconds,
      isBusy: random() < 0.5,
    };
    expect(await counter.charge(account, one, signal)).toEqual(await memory.charge(account, one, signal));
  }
});
