import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { invoke } from '#local/gateway/invoke.ts';
import { runEvery, scheduledEvent } from '#local/workers/schedule.ts';
import { scheduledWorker } from '#shared/invoicing/declarations.ts';
import { serveSchedule, type WorkerDependencies } from '#shared/runtime/worker-pipeline.ts';

/** A grace period that does not end. */
const FOREVER_MS = 2 ** 31 - 1;
const LIMITS = { seconds: 60, memory_mb: 512 };

test('npm start stops while a scheduled worker pauses: the pause ends, and the worker returns', async () => {
  const { promise: paused, resolve: pause } = Promise.withResolvers<void>();
  let ends = 0;
  const worker = scheduledWorker({
    trigger: { minutes: 1 },
    uses: {},
    ...LIMITS,
    handle: async ({ stop }) => {
      const stopped = once(stop as AbortSignal, 'abort');
      pause();
      await stopped;
      ends += 1;
    },
  });
  const dependencies = { across: () => ({}), telemetry: { count: () => {} } } as unknown as WorkerDependencies;
  const load = async () => serveSchedule(worker, dependencies);
  const event = scheduledEvent('worker', new Date());
  const task = runEvery(1, (stop) => invoke({ name: 'worker', limits: LIMITS, load }, event, { stop }));
  await paused;
  expect(ends).toBe(0);
  await task.stop(FOREVER_MS);
  expect(ends).toBe(1);
});
