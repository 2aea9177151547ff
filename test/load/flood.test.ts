import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Partition } from '#local/engines/limits/buckets.ts';
import { BURST_S } from '#shared/platform/limits/limiter.ts';
import type { Answer } from '#test/support/service/client.ts';
import { forEachLoad, type Load, percentile, print, tally } from './support/load.ts';

/*
 * An account sends 20 times its limit, in reads or in writes. Other accounts, which read at half of their limit, do not
 * notice: their requests need no more calls of the database, each of which takes the same time. The times themselves depend
 * on the machine.
 */

const RATE = 5;
const FLOOD = 20 * RATE;
const QUIET_ACCOUNTS = 24;
const QUIET_RATE = RATE / 2;
const ROUNDS = 5;
const ROUND_S = 6;
const DELAY = { median: 10, p99: 10 };
/** In units of the limit (CONTRACT §16). */
const WRITE_COST = 5;

let load: Load;
forEachLoad(
  (started) => {
    load = started;
  },
  { RATE_LIMIT_PER_SECOND: String(RATE) },
);

interface Response {
  readonly status: number;
  readonly milliseconds: number;
}

/** Sends a request at a steady rate for one round. */
const sendAt = async (rate: number, send: () => Promise<Answer>): Promise<Response[]> => {
  const responses: Promise<Response>[] = [];
  const one = async (): Promise<Response> => {
    const begin = performance.now();
    const { status } = await send();
    return { status, milliseconds: performance.now() - begin };
  };
  const begin = performance.now();
  for (let i = 0; i < rate * ROUND_S; i++) {
    await sleep(Math.max(0, begin + (i * 1000) / rate - performance.now()));
    responses.push(one());
  }
  return Promise.all(responses);
};

/** @returns the requests of an account at a rate, in units of its limit */
const newClient = async () => {
  const account = load.service.account();
  const { path } = await account.customer();
  return {
    id: account.id,
    reads: (rate: number) => sendAt(rate, () => account.send('GET', path)),
    writes: (rate: number) => sendAt(rate / WRITE_COST, () => account.send('PATCH', path, { name: 'Eve' })),
  };
};

/** Counts the attempts of calls that do not concern an account. The returned function returns them, and begins again. */
const countAttemptsOfOthers = (account: string): (() => number) => {
  let attempts = 0;
  load.service.client.middlewareStack.add(
    (next) => (call) => {
      if (!JSON.stringify(call.input).includes(account)) attempts += 1;
      return next(call);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'attempts-of-others', override: true },
  );
  return () => {
    const taken = attempts;
    attempts = 0;
    return taken;
  };
};

const statusesOf = (responses: readonly Response[]) => tally(responses.map(({ status }) => status));

/** Of all rounds, because other load of the machine makes a round only slower. */
const fastest = (rounds: readonly Response[][], part: number): number =>
  Math.min(
    ...rounds.map((responses) =>
      percentile(
        responses.map(({ milliseconds }) => milliseconds),
        part,
      ),
    ),
  );

test.each([
  ['reads', 1],
  ['writes', WRITE_COST],
] as const)(
  'an account at 20 times its limit in %s: 429 above the limit, and other accounts’ reads need no more calls than before [CONTRACT §16]',
  async (kind, cost) => {
    const flood = await newClient();
    const quiet = await Promise.all(Array.from({ length: QUIET_ACCOUNTS }, newClient));
    load.limit({ delay: DELAY });
    const readQuietly = async () => (await Promise.all(quiet.map(({ reads }) => reads(QUIET_RATE)))).flat();
    const take = countAttemptsOfOthers(flood.id);
    await readQuietly();
    take();
    const attempts = { alone: 0, during: 0 };
    const [before, flooding, flooded]: [Response[][], Response[][], Response[]] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      before.push(await readQuietly());
      attempts.alone += take();
      const [own, others] = await Promise.all([flood[kind](FLOOD), readQuietly()]);
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
    print({ kind, alone, during, attempts, flooded: statusesOf(flooded), others: statusesOf(flooding.flat()) });
    expect(Object.keys(statusesOf([...before, ...flooding].flat()))).toEqual(['200']);
    const admitted = statusesOf(flooded)['200'] ?? 0;
    // The budget grows between the rounds of the flood, too.
    expect(admitted * cost).toBeLessThanOrEqual(1.3 * RATE * (2 * ROUNDS * ROUND_S + BURST_S));
    expect(admitted + (statusesOf(flooded)['429'] ?? 0)).toBe(flooded.length);
    expect(attempts.alone).toBeGreaterThanOrEqual(before.flat().length);
    expect(attempts.during).toBeLessThanOrEqual(1.1 * attempts.alone);
    expect(refusals).toBe(0);
  },
  180_000,
);
