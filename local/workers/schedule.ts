import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ScheduledEvent } from 'aws-lambda';
import type { Running } from './poller.ts';

const MINUTE_MS = 60_000;

/** The event of an EventBridge rule that runs by the clock. */
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

/** Invokes a function now and every so many minutes, whatever became of the former time, as EventBridge does. */
export const every = (minutes: number, invoke: () => Promise<void>): Running => {
  const busy = new Set<Promise<void>>();
  const run = (): void => {
    const begun = invoke().finally(() => busy.delete(begun));
    busy.add(begun);
  };
  const timer = setInterval(run, minutes * MINUTE_MS);
  run();
  return {
    async stop(graceMs) {
      clearInterval(timer);
      await Promise.race([Promise.all(busy), sleep(graceMs, undefined, { ref: false })]);
    },
  };
};
