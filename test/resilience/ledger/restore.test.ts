import { afterAll, expect } from '@jest/globals';
import { audit } from '#infra/operations/audit/audit.ts';
import { openApp } from '#local/app.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { deploymentOf, dispatch, runExports } from '#test/resilience/audit/audited-account.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { Pool } from '#test/support/requests/random-requests.ts';
import { startService } from '#test/support/service/service.ts';
import { startWorkers, type Workers } from '#test/support/service/workers.ts';
import { Follower } from './feed.ts';
import { type Copies, restore, sendRandomly } from './restore.ts';

/*
 * Random requests of an account, while each table is copied at a moment of its own, as DynamoDB restores tables. The
 * copies are restored into another engine, audited and repaired; then the service continues there.
 * `SEED=… RUNS=… npm run test:deep -- test/resilience/ledger/restore` repeats the requests of a seed, but not the interleaving.
 */
const RUNS = extent({ full: 10, part: 1 });
const REQUESTS = 120;

const before = await startWorkers();
// The clients read the address of the engine, and the keys, at their first call.
await dispatch(before, 'acct_0');
for (const { config } of [before.own.s3, before.own.sqs, before.sender]) await config.credentials();
const service = await startService(before.queue.variables, { queues: before.sender });
const own = { ...before.own, dynamo: createDynamoClient() };
const after: Workers = {
  ...before,
  service,
  own,
  run(worker, event, remaining = 60_000, engines = own) {
    return openApp({ environment: service.environment, clients: engines }).work(worker, event, { remaining });
  },
};
afterAll(async () => {
  own.dynamo.destroy();
  await Promise.all([service.stop(), before.stop()]);
});
before.service.checks.documented = false;
service.checks.documented = false;

const deployment = deploymentOf(after);

deepTest(
  `${RUNS} restores of tables of different moments: repaired, audited without a finding, and no event contradicts another [CONTRACT §4, CONTRACT §14]`,
  async () => {
    const chance = chances(SEED);
    let found = 0;
    for (let run = 0; run < RUNS; run++) {
      const account = `run_${SEED}_${run}`;
      const copies: Copies = new Map();
      const pool = new Pool();
      const workOf = (workers: Workers) => async () => {
        await dispatch(workers, account);
        await runExports(workers);
      };
      const follower = new Follower(account);
      const options = { account, chance, pool };
      await sendRandomly(before.service, { ...options, count: REQUESTS / 4, work: workOf(before) });
      await follower.follow(before.service);
      await sendRandomly(before.service, { ...options, count: REQUESTS, work: workOf(before), copies });
      await before.queue.purge();
      await restore(service, copies);
      const repaired = await audit(deployment, { account, repairs: true, pauseMs: 0 });
      found += repaired.length;
      expect(repaired.filter(({ repair }) => repair !== 'done')).toEqual([]);
      expect(await audit(deployment, { account, pauseMs: 0 })).toEqual([]);
      await sendRandomly(service, { ...options, count: REQUESTS / 4, work: workOf(after) });
      await workOf(after)();
      expect(await audit(deployment, { account, pauseMs: 0 })).toEqual([]);
      const reader = new Follower(account);
      for (const each of [follower, reader]) {
        await each.follow(service);
        await each.checkResources(service);
      }
    }
    expect(found).toBeGreaterThan(RUNS);
  },
);
