import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Partition } from '#local/engines/limits/buckets.ts';
import { BURST_S } from '#shared/platform/limits/limiter.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { forEachLoad, type Load, percentile, print, tally } from './support/load.ts';

/*
 * An account sends 20 times its limit, in reads. Other accounts, at half of theirs, do not notice: their requests need no
 * more calls of the database, each of which takes the same time. The times themselves depend on the machine.
 */

const RATE = 5;
const FLOOD = 20 * RATE;
const QUIET_ACCOUNTS = 24;
const QUIET_RATE = RATE / 2;
const ROUNDS = 5;
const ROUND_S = 6;
const DELAY = { median: 10, p99: 10 };

let load: Load;
forEachLoad(
  (started) => {
    load = started;
  },
  { RATE_LIMIT_PER_SECOND: String(RATE) },
);

interface Read {
  readonly status: number;
  readonly milliseconds: number;
}

/** Reads a customer at a steady rate for one round. */
const read = async (account: Account, id: number, rate: number): Promise<Read[]> => {
  const reads: Promise<Read>[] = [];
  const one = async (): Promise<Read> => {
    const begin = performance.now();
    const { status } = await account.send('GET', `/v1/customers/${id}`);
    return { status, milliseconds: performance.now() - begin };
  };
  const begin = performance.now();
  for (let i = 0; i < rate * ROUND_S; i++) {
    await sleep(Math.max(0, begin + (i * 1000) / rate - performance.now()));
    reads.push(one());
  }
  return Promise.all(reads);
};

const newClient = async () => {
  const account = load.service.account();
  const { json } = await account.send('POST', '/v1/customers', { name: 'Ada' });
  return { id: account.id, send: (rate: number) => read(account, json.id, rate) };
};

/** Counts the attempts of calls that do not concern an account. The returned function returns them, and begins again. */
const countAttemptsOfOthers = (account: string): (() => number) => {
  let attempts = 0;
  load.service.client.middlewareStack.add(
    (next) => (call) => {
      if (!JSON.stringify(call.input).includes(account)) attempts += 1;
      return next(call);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'attempts-of-others' },
  );
  return () => {
    const taken = attempts;
    attempts = 0;
    return taken;
  };
};

const statusesOf = (reads: readonly Read[]) => tally(reads.map(({ status }) => status));

/** Of all rounds, because other load of the machine makes a round only slower. */
const fastest = (rounds: readonly Read[][], part: number): number =>
  Math.min(
    ...rounds.map((reads) =>
      percentile(
        reads.map(({ milliseconds }) => milliseconds),
        part,
      ),
    ),
  );

test('an account at 20 times its limit: 429 above the limit, and other accounts’ reads need no more calls than before [CONTRACT §16]', async () => {
  const flood = await newClient();
  const quiet = await Promise.all(Array.from({ length: QUIET_ACCOUNTS }, newClient));
  load.limit({ delay: DELAY });
  const readQuietly = async () => (await Promise.all(quiet.map(({ send }) => send(QUIET_RATE)))).flat();
  const take = countAttemptsOfOthers(flood.id);
  await readQuietly();
  take();
  const attempts = { alone: 0, during: 0 };
  const [before, flooding, flooded]: [Read[][], Read[][], Read[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    before.push(await readQuietly());
    attempts.alone += take();
    const [own, others] = await Promise.all([flood.send(FLOOD), readQuietly()]);
    attempts.during += take();
    flooded.push(...own);
    flooding.push(others);
  }
  const isForeign = ({ value }: Partition) => !value.includes(flood.id);
  const refusals = load.refusals('read', isForeign) + load.refusals('write', isForeign);
  load.limit();
  const [alone, during] = [before, flooding].map((rounds) => ({
    p50: fastest(rounds, 0.5),
    p99: fastest(rounds, 0.99),
  }));
  print({ alone, during, attempts, flooded: statusesOf(flooded), others: statusesOf(flooding.flat()) });
  expect(Object.keys(statusesOf([...before, ...flooding].flat()))).toEqual(['200']);
  const admitted = statusesOf(flooded)['200'] ?? 0;
  // The budget grows between the rounds of the flood, too.
  expect(admitted).toBeLessThanOrEqual(1.3 * RATE * (2 * ROUNDS * ROUND_S + BURST_S));
  expect(admitted + (statusesOf(flooded)['429'] ?? 0)).toBe(flooded.length);
  expect(attempts.alone).toBeGreaterThanOrEqual(before.flat().length);
  expect(attempts.during).toBeLessThanOrEqual(1.1 * attempts.alone);
  expect(refusals).toBe(0);
}, 180_000);
