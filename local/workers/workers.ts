import { SQSClient } from '@aws-sdk/client-sqs';
import type { ScheduledEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { BuiltWorker, Functions } from '#local/bundles/bundles.ts';
import { invoke } from '#local/gateway/invoke.ts';
import { queues } from '#shared/invoicing/queues.ts';
import { poll, type Running } from './poller.ts';
import { openQueue } from './queues.ts';
import { every, scheduledEvent } from './schedule.ts';

/** The functions of the newest build. */
type CurrentBuild = () => Promise<Functions>;

/** Begins to call a worker. */
type Begin = (newest: CurrentBuild) => Running;

type Trigger = BuiltWorker['trigger'];
type OfQueue = Extract<Trigger, { queue: unknown }>;
type OfClock = Extract<Trigger, { minutes: unknown }>;

const polled = async (
  environment: NodeJS.ProcessEnv,
  { name, limits }: BuiltWorker,
  { queue, batch, concurrency }: OfQueue,
  isEmbedded: boolean,
): Promise<Begin> => {
  const { variable } = queues[queue];
  const source = await openQueue(environment, { variable, name: queue, limits, isEmbedded });
  const client = new SQSClient({ endpoint: environment['AWS_ENDPOINT_URL_SQS'] as string });
  return (newest) =>
    poll(client, {
      ...source,
      batch,
      concurrency,
      invoke: async (event) => invoke((await newest()).worker<SQSEvent, SQSBatchResponse>(name), event),
    });
};

const scheduled =
  ({ name }: BuiltWorker, { minutes }: OfClock): Begin =>
  (newest) =>
    every(minutes, async () => {
      try {
        await invoke((await newest()).worker<ScheduledEvent, void>(name), scheduledEvent(name, new Date()));
      } catch (error) {
        console.error(`${name} failed:`, error);
      }
    });

/**
 * Opens the queues that workers take their messages from; their addresses are in the environment then.
 * @param isEmbedded whether SQS is the embedded engine
 * @returns begins to call the workers
 * @throws Failure when a queue cannot be opened
 */
export const openWorkers = async (
  environment: NodeJS.ProcessEnv,
  workers: readonly BuiltWorker[],
  isEmbedded: boolean,
): Promise<Begin> => {
  const begins = await Promise.all(
    workers.map((worker) => {
      const { trigger } = worker;
      return 'queue' in trigger ? polled(environment, worker, trigger, isEmbedded) : scheduled(worker, trigger);
    }),
  );
  return (newest) => {
    const running = begins.map((begin) => begin(newest));
    return {
      async stop(graceMs) {
        await Promise.all(running.map((one) => one.stop(graceMs)));
      },
    };
  };
};
