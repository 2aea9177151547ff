import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduledEvent } from 'aws-lambda';
import type { RunningTask } from './poller.ts';

const MINUTE_MS = 60_000;

export const scheduledEvent = (name: string, time: Date): ScheduledEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: `${time.toISOString().slice(0, -5)}Z`,
  region: 'local',
  resources: [`arn:aws:events:local:000000000000:rule/${name}`],
  detail: {},
});

/**
 * Invokes a function now and then at an interval. As with EventBridge, invocations may overlap.
 * @param invoke gets a signal that is aborted when the task stops
 */
export const runEvery = (minutes: number, invoke: (stop: AbortSignal) => Promise<void>): RunningTask => {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const run = (): void => {
    const invocation = invoke(stopping.signal).finally(() => running.delete(invocation));
    running.add(invocation);
  };
  const timer = setInterval(run, minutes * MINUTE_MS);
  run();
  return {
    async stop(graceMs) {
      clearInterval(timer);
      stopping.abort();
      await Promise.race([Promise.all(running), sleep(graceMs, undefined, { ref: false })]);
    },
  };
};
