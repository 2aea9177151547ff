import { afterAll, expect, test } from '@jest/globals';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { drawRequest, Pool, pick, weightedMatrix } from '#test/support/requests/random-requests.ts';
import { startService } from '#test/support/service/local-service.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';

/*
 * Random requests to every endpoint of both versions, several at a time, for few resources.
 * `SEED=… npm test -- test/resilience/ledger/mixed` repeats the requests of a seed, but not the interleaving; `RUNS=…` sends more.
 */
const RUNS = extent({ full: 2390, part: 60 });
const AT_ONCE = 8;

const service = await startService();
service.checks.documented = false;
afterAll(() => service.stop());

/** The pool holds ids of both accounts, so many requests name a resource of the other account. */
const ACCOUNTS = [...Array<string>(9).fill('acct_1'), 'acct_2'];

/**
 * A run of refusals alone would prove nothing. About 56 % succeed, but of the first few requests, which have no ids to name,
 * any number can be refused: until so many have succeeded, more are sent.
 */
const MIN_SUCCESSES = RUNS / 4;
const MAX_RUNS = 4 * RUNS;

test(`${RUNS} random requests, ${AT_ONCE} at a time: no 5xx, and every invariant holds [CONTRACT §4, CONTRACT §10]`, async () => {
  const chance = chances(SEED);
  const pool = new Pool();
  const failed: string[] = [];
  let succeeded = 0;
  let sent = 0;
  const client = async () => {
    while (sent < (succeeded > MIN_SUCCESSES ? RUNS : MAX_RUNS)) {
      sent++;
      const [title, version, , operation] = pick(chance, weightedMatrix);
      const request = drawRequest(operation, version, pool, chance);
      const answer = await service.send(request.target, { ...request.sent, as: { account: pick(chance, ACCOUNTS) } });
      pool.add(operation, answer);
      if (answer.status < 400) succeeded++;
      if (answer.status >= 500) failed.push(`${answer.text} ${title}: ${JSON.stringify(request)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  expect(failed).toEqual([]);
  expect(succeeded).toBeGreaterThan(MIN_SUCCESSES);
  await checkInvariants(service);
});
