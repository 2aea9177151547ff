import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { cancelExport, isUnfinished } from '#shared/invoicing/exports/rules.ts';
import { extent } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { below, type Chance, pick } from '#test/support/requests/random-requests.ts';
import { checkpoint, complete, type Run, START, storeJob } from '#test/unit/invoicing/exports/stored-job.ts';
import { startData } from '#test/unit/platform/engine.ts';

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
/** The process that makes the call. A lost process makes no further call. */
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

const RUNNING: readonly Run[] = [
  complete,
  (lease) => lease.saveCheckpoint(checkpoint(1)).then(() => complete(lease)),
  (lease) => lease.release(checkpoint(1)),
  async () => {
    throw new Error('S3 is down.');
  },
];

test(`${RUNS} random schedules of workers, reconcilers and a client, each lost at any AWS call: the job ends once [CONTRACT §9]`, async () => {
  for (let run = 0; run < RUNS; run++) {
    chance = chances(SEED + run);
    const job = await storeJob(data, `acct_${run}`);
    const work = () => job.run(pick(chance, RUNNING));
    const pass = async () => {
      job.clock += pick(chance, [10_000, 30_000, 60_000, 1_000_000]);
    };
    const cancel = () => job.change((row, at) => (isUnfinished(row) ? cancelExport(row, at) : row));
    for (let step = 0; step < STEPS; step++) {
      const acts = Array.from({ length: 2 + below(chance, 3) }, () => pick(chance, [work, work, job.remind, pass]));
      await Promise.all([...acts, ...(chance() < 1 / 5 ? [cancel] : [])].map(mayBeLost));
    }
    for (let row = await job.row(), rounds = 0; isUnfinished(row); row = await job.row()) {
      if (++rounds > 20) throw new Error(`SEED=${SEED + run}: the job does not end.`);
      job.clock = Math.max(job.clock, Number(row.due_at) - START);
      job.sent.length = 0;
      await job.remind();
      if (job.sent.length > 0) await job.run(complete);
    }
    const last = await job.row();
    await job.run(() => Promise.reject(new Error('The job must not run.')));
    expect([SEED + run, await job.unfinished(), await job.row()]).toEqual([SEED + run, 0, last]);
  }
  expect(losses).toBeGreaterThan(RUNS / 2);
});
