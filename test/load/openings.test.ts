import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';
import { countAttempts, forEachLoad, type Load, print, tally } from './support/load.ts';

/* Invoices that are issued at random moments, where a transaction holds the row of their series for as long as on AWS. */

const SECONDS = 60;
const HOLD_MS = 12;

let load: Load;
forEachLoad((started) => {
  load = started;
});

/** The value that this share of the sorted values does not exceed. */
const percentile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);

test.each([
  { rate: 20, series: 1 },
  { rate: 20, series: 2 },
])(
  `$rate openings a second on average for ${SECONDS} s, number series: $series: none is refused, and the numbers have no gap`,
  async ({ rate, series }) => {
    const make = makers(load.service, { account: newAccount() });
    const made = Array.from({ length: series }, (_, i) => make.create('number-series', { prefix: `S${i}-` }));
    const ids = (await Promise.all(made)).map(({ id }) => id);
    const take = countAttempts(load.service.client);
    load.limit({ holdMs: HOLD_MS });
    const start = performance.now();
    const random = chances(SEED);
    const answers = Array.from({ length: rate * SECONDS }, async (_, i) => {
      await sleep(random() * SECONDS * 1000);
      const sentAt = performance.now();
      const { status } = await make.send('POST', '/v1/invoices', { series_id: ids[i % series], total_cents: 100 });
      return { status, ms: performance.now() - sentAt };
    });
    const all = await Promise.all(answers);
    const seconds = (performance.now() - start) / 1000;
    load.limit();
    const ms = all.map((one) => one.ms).sort((a, b) => a - b);
    const each = (take()['TransactWriteItems'] ?? 0) / all.length;
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(ms, share));
    print({ rate, series, statuses: tally(all.map(({ status }) => status)), p50, p95, p99, each, seconds });
    expect(all.filter(({ status }) => status !== 201)).toEqual([]);
    await checkInvariants(load.service, make.account_id);
  },
  300_000,
);
