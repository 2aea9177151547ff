import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { invoke } from '#local/gateway/invoke.ts';
import { runEvery, scheduledEvent } from '#local/workers/schedule.ts';
import { scheduledWorker } from '#shared/platform/worker.ts';
import { serveSchedule, type WorkerDependencies } from '#shared/runtime/worker-pipeline.ts';

const GRACE_MS = 3000;
const LIMITS = { seconds: 60, memory_mb: 512 };

test('npm start stops while a scheduled worker pauses: the pause ends, and the worker returns', async () => {
  const ends: boolean[] = [];
  const worker = scheduledWorker({
    trigger: { minutes: 1 },
    uses: {},
    ...LIMITS,
    handle: async ({ stop }) => {
      ends.push(await sleep(GRACE_MS * 2, false, { signal: stop, ref: false }).catch(() => true));
    },
  });
  const dependencies = { across: () => ({}), telemetry: { count: () => {} } } as unknown as WorkerDependencies;
  const load = async () => serveSchedule(worker, dependencies);
  const event = scheduledEvent('worker', new Date());
  const task = runEvery(1, (stop) => invoke({ name: 'worker', limits: LIMITS, load }, event, stop));
  await sleep(100);
  expect(ends).toEqual([]);
  const before = performance.now();
  await task.stop(GRACE_MS);
  expect(ends).toEqual([true]);
  expect(performance.now() - before).toBeLessThan(GRACE_MS / 2);
});
