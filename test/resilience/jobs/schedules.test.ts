import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { commitJob } from '#shared/platform/jobs/job.ts';
import type { Lease } from '#shared/platform/jobs/lease.ts';
import { remindDue } from '#shared/platform/jobs/reconcile.ts';
import { runJob } from '#shared/platform/jobs/run-job.ts';
import { ended } from '#shared/platform/jobs/state.ts';
import type { ExportMessage } from '#shared/vocabulary.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { below, type Chance, pick } from '#test/support/requests/random-requests.ts';
import { startData } from '#test/unit/platform/engine.ts';
import { createDepot, type Parcel, parcel, parcelJob, START } from '#test/unit/platform/jobs/parcel.ts';

/*
 * Workers, reconcilers and a client change one job at the same time. Random pauses before their AWS calls interleave
 * their reads and commits, and each process may be lost before or after any call (CONTRACT §9). `SEED` repeats the random
 * choices, but not the interleaving.
 */

const RUNS = extent({ full: 200, part: 8 });
const STEPS = 5;
const LOST_SHARE = 0.1;
const MAX_PAUSE_MS = 6;

class LostError extends Error {}

let chance: Chance;
let losses = 0;
/** The process that makes the call. A lost one makes no further call. */
const processes = new AsyncLocalStorage<{ isLost: boolean }>();

const data = await startData();
data.client.middlewareStack.add(
  (next) => async (call) => {
    const process = processes.getStore();
    if (!process) return next(call);
    await sleep(chance() * MAX_PAUSE_MS);
    const random = chance();
    if (random < LOST_SHARE) losses++;
    if (random < LOST_SHARE / 2) process.isLost = true;
    if (process.isLost) throw new LostError();
    const result = await next(call);
    if (random < LOST_SHARE) process.isLost = true;
    if (process.isLost) throw new LostError();
    return result;
  },
  { step: 'initialize', priority: 'high', name: 'processes' },
);
afterAll(() => data.stop());

const mayBeLost = (work: () => Promise<unknown>): Promise<unknown> =>
  processes.run({ isLost: false }, work).catch(() => {});

type Run = (lease: Lease<Parcel>) => Promise<void>;
const RUNNING: readonly Run[] = [
  (lease) => lease.end(() => ({ place: 'door' })),
  (lease) => lease.progress({ stop: 1 }).then(() => lease.end(() => ({ place: 'door' }))),
  (lease) => lease.release({ stop: 1 }),
  async () => {
    throw new Error('The van broke down.');
  },
];

/** The processes that may change the job of a message. */
const actorsOf = (depot: ReturnType<typeof createDepot>, message: ExportMessage) => {
  const stores = depot.storesOf(message.account_id);
  const context = depot.message(message);
  return {
    work: (run: Run) => runJob(parcelJob, context, stores, { onClaim: () => ({ place: 'van' as const }), run }),
    reconcile: () => remindDue(parcelJob, context, depot),
    async cancel() {
      const row = await depot.rowOf(message);
      if (parcelJob.hasEnded(row)) return;
      await commitJob(parcelJob, context, stores, row, ended(row, { place: 'lost' }, context.now()));
    },
    async pass() {
      depot.clock += pick(chance, [40, 80, 1000, 5000]);
    },
  };
};

test(`${RUNS} random schedules of workers, reconcilers and a client, each lost at any AWS call: the job ends once [CONTRACT §9]`, async () => {
  for (let run = 0; run < RUNS; run++) {
    chance = chances(SEED + run);
    const depot = createDepot(data);
    const account = `acct_${run}`;
    const message = await depot.put(account, parcel(1));
    const { work, reconcile, cancel, pass } = actorsOf(depot, message);
    const acts = [() => work(pick(chance, RUNNING)), () => work(pick(chance, RUNNING)), reconcile, pass];
    for (let step = 0; step < STEPS; step++) {
      const concurrent = Array.from({ length: 2 + below(chance, 3) }, () => mayBeLost(pick(chance, acts)));
      await Promise.all([...concurrent, ...(chance() < 1 / 5 ? [mayBeLost(cancel)] : [])]);
    }
    for (let row = await depot.rowOf(message), rounds = 0; !parcelJob.hasEnded(row); row = await depot.rowOf(message)) {
      if (++rounds > 20) throw new Error(`SEED=${SEED + run}: the job does not end.`);
      depot.clock = Math.max(depot.clock, Number(row.due_at) - START);
      depot.sent.length = 0;
      await reconcile();
      if (JSON.stringify(depot.sent).includes(`"${account}"`)) await work(RUNNING[0] as Run);
    }
    const last = await depot.rowOf(message);
    await work(() => Promise.reject(new Error('The job must not run.')));
    expect([SEED + run, await depot.endsOf(account), await depot.rowOf(message)]).toEqual([SEED + run, 1, last]);
  }
  expect(losses).toBeGreaterThan(RUNS / 2);
});
