import { SQSClient } from '@aws-sdk/client-sqs';
import type { ScheduledEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Functions, WorkerBundle } from '#local/bundles/bundles.ts';
import { invoke } from '#local/gateway/invoke.ts';
import { queues } from '#shared/invoicing/queues.ts';
import { poll, type RunningTask } from './poller.ts';
import { openQueue } from './queues.ts';
import { runEvery, scheduledEvent } from './schedule.ts';

type CurrentBuild = () => Promise<Functions>;

type StartWorker = (currentBuild: CurrentBuild) => RunningTask;

type Trigger = WorkerBundle['trigger'];
type QueueTrigger = Extract<Trigger, { queue: unknown }>;
type ScheduleTrigger = Extract<Trigger, { minutes: unknown }>;

const startPolling = async (
  environment: NodeJS.ProcessEnv,
  { name, limits }: WorkerBundle,
  { queue, batch, concurrency }: QueueTrigger,
  isEmbedded: boolean,
): Promise<StartWorker> => {
  const { variable } = queues[queue];
  const source = await openQueue(environment, { variable, name: queue, limits, isEmbedded });
  const client = new SQSClient({ endpoint: environment['AWS_ENDPOINT_URL_SQS'] as string });
  return (currentBuild) =>
    poll(client, {
      ...source,
      batch,
      concurrency,
      invoke: async (event) => invoke((await currentBuild()).worker<SQSEvent, SQSBatchResponse>(name), event),
    });
};

const startSchedule =
  ({ name }: WorkerBundle, { minutes }: ScheduleTrigger): StartWorker =>
  (currentBuild) =>
    runEvery(minutes, async () => {
      try {
        await invoke((await currentBuild()).worker<ScheduledEvent, void>(name), scheduledEvent(name, new Date()));
      } catch (error) {
        console.error(`${name} failed:`, error);
      }
    });

/**
 * Opens the workers' queues, and sets the queues' URLs in the environment.
 * @returns starts the workers
 */
export const openWorkers = async (
  environment: NodeJS.ProcessEnv,
  workers: readonly WorkerBundle[],
  isEmbedded: boolean,
): Promise<StartWorker> => {
  const starters = await Promise.all(
    workers.map((worker) => {
      const { trigger } = worker;
      return 'queue' in trigger
        ? startPolling(environment, worker, trigger, isEmbedded)
        : startSchedule(worker, trigger);
    }),
  );
  return (currentBuild) => {
    const running = starters.map((start) => start(currentBuild));
    return {
      async stop(graceMs) {
        await Promise.all(running.map((one) => one.stop(graceMs)));
      },
    };
  };
};
