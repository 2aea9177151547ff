import { afterAll, beforeAll, expect } from '@jest/globals';
import { audit } from '#infra/operations/audit/audit.ts';
import { openApp } from '#local/app.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { auditedDeployment, runExports } from '#test/resilience/audit/audited-account.ts';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { behaviors, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { Pool } from '#test/support/requests/random-requests.ts';
import { startService } from '#test/support/service/local-service.ts';
import { makers } from '#test/support/service/makers.ts';
import { publish, recordOf, startWorkers, type Workers } from '#test/support/service/workers.ts';
import { follow } from '#test/support/state/feed.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { Follower } from './feed.ts';
import { type Copies, restore, sendRandomly } from './restore.ts';

/*
 * Random requests of an account, while each table is copied at a moment of its own, as DynamoDB restores tables. The
 * copies are restored into another engine, audited and repaired; then the service continues there.
 * `SEED=… RUNS=… npm test -- test/resilience/ledger/restore --selectProjects deep` repeats the requests of a seed, but not the interleaving.
 */
const RUNS = extent({ full: 10, part: 1 });
const REQUESTS = 120;

const ALLOWS_LOCAL = { WEBHOOK_ALLOW_LOCAL: 'true' };

let before: Workers;
/** The service on the engine into which the copies are restored. */
let after: Workers;

beforeAll(async () => {
  before = await startWorkers(ALLOWS_LOCAL);
  // The clients read the address of the engine, and the keys, at their first call.
  await publish(before, 'acct_0');
  for (const { config } of [before.own.s3, before.own.sqs, before.sender]) await config.credentials();
  const service = await startService({ ...before.queue.variables, ...ALLOWS_LOCAL }, { queues: before.sender });
  const own = { ...before.own, dynamo: createDynamoClient() };
  after = {
    ...before,
    service,
    own,
    run(worker, event, remaining = 60_000, engines = own) {
      return openApp({ environment: service.environment, clients: engines }).work(worker, event, { remaining });
    },
    async stop() {
      own.dynamo.destroy();
      await Promise.all([service.stop(), before.stop()]);
    },
  };
  before.service.checks.documented = false;
  service.checks.documented = false;
});
afterAll(() => after.stop());

/** A webhook endpoint, and the events that its receiver has got. */
const openEndpoint = async (account_id: string) => {
  const receiver = await startReceiver(behaviors.ok);
  const make = makers(before.service, { account: account_id });
  const { id: webhook_endpoint_id } = await make.endpoint({ url: receiver.url });
  const deliver = ({ run }: Workers, message: object) =>
    run('workers/deliver', { Records: [recordOf({ account_id, ...message })] });
  return {
    close: receiver.close,
    /** Sends the events, and makes the attempts that the audit has added. */
    async send(workers: Workers): Promise<void> {
      await publish(workers, account_id);
      const { events } = await follow(workers.service, { account: account_id });
      const waits = async (): Promise<boolean> => {
        const endpoints = await rowsOf(workers.service, 'webhookEndpoints', account_id);
        if (endpoints.find(({ id }) => id === webhook_endpoint_id)?.['position'] !== events.length) return true;
        const rows = await rowsOf(workers.service, 'webhookDeliveries', account_id);
        return rows.some((row) => row['status'] === 'pending' && row['webhook_endpoint_id'] === webhook_endpoint_id);
      };
      // A turn ends after ten seconds.
      do await deliver(workers, { webhook_endpoint_id });
      while (await waits());
    },
    /** Each event that follows the creation of the endpoint was received, and nothing else. */
    async check(workers: Workers): Promise<void> {
      const { events } = await follow(workers.service, { account: account_id });
      const creation = events.findIndex(({ resource_id }) => resource_id === webhook_endpoint_id);
      const expected = events.slice(creation + 1).map((event) => JSON.stringify(event));
      expect(new Set(receiver.requests.map(({ body }) => body))).toEqual(new Set(expected));
    },
  };
};

deepTest(
  `${RUNS} restores of tables of different moments: repaired, audited without a finding, and no event contradicts another, for a follower and for a receiver [CONTRACT §4, CONTRACT §14]`,
  async () => {
    const chance = chances(SEED);
    const { service } = after;
    const deployment = auditedDeployment(after);
    let found = 0;
    for (let run = 0; run < RUNS; run++) {
      const account = `run_${SEED}_${run}`;
      const copies: Copies = new Map();
      const pool = new Pool();
      const workOf = (workers: Workers) => async () => {
        await publish(workers, account);
        await runExports(workers);
      };
      const follower = new Follower(account);
      const endpoint = await openEndpoint(account);
      const options = { account, chance, pool };
      await sendRandomly(before.service, { ...options, count: REQUESTS / 4, work: workOf(before) });
      await follower.follow(before.service);
      await endpoint.send(before);
      await sendRandomly(before.service, { ...options, count: REQUESTS, work: workOf(before), copies });
      await before.queue.purge();
      await restore(service, copies);
      const repaired = await Array.fromAsync(audit(deployment, { account, repairs: true, pauseMs: 0 }));
      found += repaired.length;
      expect(repaired.filter(({ repair }) => repair !== 'done')).toEqual([]);
      expect(await Array.fromAsync(audit(deployment, { account, pauseMs: 0 }))).toEqual([]);
      await sendRandomly(service, { ...options, count: REQUESTS / 4, work: workOf(after) });
      await workOf(after)();
      await endpoint.send(after);
      await endpoint.check(after);
      await endpoint.close();
      expect(await Array.fromAsync(audit(deployment, { account, pauseMs: 0 }))).toEqual([]);
      const reader = new Follower(account);
      for (const each of [follower, reader]) {
        await each.follow(service);
        await each.checkResources(service);
      }
    }
    expect(found).toBeGreaterThan(RUNS);
  },
);
