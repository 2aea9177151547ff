import { isConsumer, isStreamWorker, type Worker } from '#shared/platform/declarations/worker.ts';

/** Batches of one shard that run at the same time: the most that Lambda supports. */
export const PARALLELIZATION_FACTOR = 10;
/** DynamoDB begins an on-demand table with 4,000 write units a second: four partitions, each with a shard of the stream. */
const SHARDS = 4;

/**
 * The executions that a worker's trigger may use at the same time. With fewer, Lambda would throttle it: messages would come
 * nearer to the dead-letter queue, and records would wait.
 */
export const concurrencyOf = (worker: Worker): number => {
  if (isConsumer(worker)) return worker.trigger.concurrency;
  if (isStreamWorker(worker)) return SHARDS * PARALLELIZATION_FACTOR;
  // A run that reaches its timeout overlaps with the runs that have started meanwhile.
  return 1 + Math.floor(worker.seconds / (60 * worker.trigger.minutes));
};
