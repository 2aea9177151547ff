import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBStreamEvent, ScheduledEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Functions, WorkerBundle } from '#local/bundles/bundles.ts';
import { invoke } from '#local/gateway/invoke.ts';
import { queues } from '#shared/invoicing/queues.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { poll, type RunningTask } from './poller.ts';
import { openQueue } from './queues.ts';
import { runEvery, scheduledEvent } from './schedule.ts';
import { readStream } from './stream.ts';

/** All batches run in this process, and more of them would slow down requests. On Lambda each batch has an instance. */
const MAX_BATCHES = 5;

type CurrentBuild = () => Promise<Functions>;

/** @param opening the consumers of queues wait for it */
type StartWorker = (currentBuild: CurrentBuild, opening?: Promise<void>) => RunningTask;

type Trigger = WorkerBundle['trigger'];
type QueueTrigger = Extract<Trigger, { queue: unknown }>;
type ScheduleTrigger = Extract<Trigger, { minutes: unknown }>;
type StreamTrigger = Extract<Trigger, { insertsInto: unknown }>;

const startPolling = async (
  environment: NodeJS.ProcessEnv,
  { name, limits }: WorkerBundle,
  { queue, batch, concurrency }: QueueTrigger,
  isEmbedded: boolean,
): Promise<StartWorker> => {
  const { variable } = queues[queue];
  const source = await openQueue(environment, { variable, name: queue, limits, isEmbedded });
  const client = new SQSClient({ endpoint: environment['AWS_ENDPOINT_URL_SQS'] as string });
  return (currentBuild, opening) =>
    poll(client, {
      ...source,
      opening,
      batch,
      concurrency: Math.min(concurrency, MAX_BATCHES),
      invoke: async (event) => invoke((await currentBuild()).worker<SQSEvent, SQSBatchResponse>(name), event),
    });
};

const startSchedule =
  ({ name }: WorkerBundle, { minutes }: ScheduleTrigger): StartWorker =>
  (currentBuild) =>
    runEvery(minutes, async (stop) => {
      try {
        const worker = (await currentBuild()).worker<ScheduledEvent, void>(name);
        await invoke(worker, scheduledEvent(name, new Date()), stop);
      } catch (error) {
        console.error(`${name} failed:`, error);
      }
    });

const startReading =
  (environment: NodeJS.ProcessEnv, { name }: WorkerBundle, { insertsInto }: StreamTrigger): StartWorker =>
  (currentBuild) =>
    readStream(environment, environment[tables[insertsInto].variable] as string, async (event) => {
      await invoke((await currentBuild()).worker<DynamoDBStreamEvent, void>(name), event);
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
      if ('queue' in trigger) return startPolling(environment, worker, trigger, isEmbedded);
      return 'minutes' in trigger ? startSchedule(worker, trigger) : startReading(environment, worker, trigger);
    }),
  );
  return (currentBuild, opening) => {
    const running = starters.map((start) => start(currentBuild, opening));
    return {
      async stop(graceMs) {
        await Promise.all(running.map((one) => one.stop(graceMs)));
      },
    };
  };
};
