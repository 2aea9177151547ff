import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { workers } from '#functions/workers.ts';
import type { App } from '#local/app.ts';
import { queues } from '#shared/invoicing/queues.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { Worker } from '#shared/platform/declarations/worker.ts';
import { poll, type RunningTask } from './poller.ts';
import { openQueue } from './queues.ts';
import { runEvery, scheduledEvent } from './schedule.ts';
import { readStream } from './stream.ts';

/**
 * All batches run in this process, and more batches would slow down requests. On Lambda, each batch runs in an instance
 * of its own.
 */
const MAX_BATCHES = 5;

/** @param opening the consumers of queues wait for it */
type StartWorker = (work: App['work'], opening?: Promise<void>) => RunningTask;

interface NamedWorker {
  /** The name of its file. */
  readonly name: string;
  readonly worker: Worker;
}

type Trigger = Worker['trigger'];
type QueueTrigger = Extract<Trigger, { queue: unknown }>;
type ScheduleTrigger = Extract<Trigger, { minutes: unknown }>;
type StreamTrigger = Extract<Trigger, { insertsInto: unknown }>;

const startPolling = async (
  environment: NodeJS.ProcessEnv,
  { name, worker }: NamedWorker,
  { queue, batch, concurrency }: QueueTrigger,
  isEmbedded: boolean,
): Promise<StartWorker> => {
  const { variable } = queues[queue];
  const source = await openQueue(environment, { variable, name: queue, limits: worker, isEmbedded });
  const client = new SQSClient({ endpoint: environment['AWS_ENDPOINT_URL_SQS'] as string });
  return (work, opening) =>
    poll(client, {
      ...source,
      opening,
      batch,
      concurrency: Math.min(concurrency, MAX_BATCHES),
      invoke: (event: SQSEvent) => work<SQSBatchResponse>(name, event),
    });
};

const startSchedule =
  ({ name }: NamedWorker, { minutes }: ScheduleTrigger): StartWorker =>
  (work) =>
    runEvery(minutes, async (stop) => {
      try {
        await work<void>(name, scheduledEvent(name, new Date()), { stop });
      } catch (error) {
        console.error(`${name} failed:`, error);
      }
    });

const startReading =
  (environment: NodeJS.ProcessEnv, { name }: NamedWorker, { insertsInto }: StreamTrigger): StartWorker =>
  (work) =>
    readStream(environment, environment[tables[insertsInto].variable] as string, (event: DynamoDBStreamEvent) =>
      work(name, event),
    );

/**
 * Opens the workers' queues, and sets the queues' URLs in the environment.
 * @returns starts the workers
 */
export const openWorkers = async (environment: NodeJS.ProcessEnv, isEmbedded: boolean): Promise<StartWorker> => {
  const starters = await Promise.all(
    Object.entries(workers).map(([name, worker]) => {
      const { trigger } = worker;
      const named = { name, worker };
      if ('queue' in trigger) return startPolling(environment, named, trigger, isEmbedded);
      return 'minutes' in trigger ? startSchedule(named, trigger) : startReading(environment, named, trigger);
    }),
  );
  return (work, opening) => {
    const running = starters.map((start) => start(work, opening));
    return {
      async stop(graceMs) {
        await Promise.all(running.map((one) => one.stop(graceMs)));
      },
    };
  };
};
