import type { Write } from '#shared/platform/commit/write.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { DueRow } from '#shared/platform/store/cross-account-queries.ts';
import type { Message, Metric, QueueName, TableName } from '#shared/vocabulary.ts';
import type { JobLifecycle, JobState } from './state.ts';

interface JobRows<T extends JobState> {
  find(ids: readonly number[]): Promise<ReadonlyMap<number, T>>;
  replace(before: T, after: T): Write[];
}

/** A kind of job, with its messages M and the stores S of its commits. */
export interface Job<T extends JobState, M extends Message, S> extends JobLifecycle<T> {
  readonly table: TableName;
  readonly queue: QueueName;
  rows(stores: S): JobRows<T>;
  toMessage(key: DueRow): M;
  toId(message: M): number;
  endWrites(stores: S): Write[];
  endMetric(row: T): Metric | undefined;
  readonly remindedMetric: Metric;
}

export const findJob = async <T extends JobState, M extends Message, S>(
  job: Job<T, M, S>,
  stores: S,
  id: number,
): Promise<T | undefined> => (await job.rows(stores).find([id])).get(id);

/** @returns false when the job has changed since it was read */
export const commitJob = async <T extends JobState, M extends Message, S>(
  job: Job<T, M, S>,
  { commit, count }: Pick<WorkerContext, 'commit' | 'count'>,
  stores: S,
  before: T,
  after: T,
): Promise<boolean> => {
  const ends = !job.hasEnded(before) && job.hasEnded(after);
  const isDone = await commit(() => [
    ...job.rows(stores).replace(before, after),
    ...(ends ? job.endWrites(stores) : []),
  ]);
  const metric = ends && job.endMetric(after);
  if (isDone && metric) count(metric);
  return isDone;
};
