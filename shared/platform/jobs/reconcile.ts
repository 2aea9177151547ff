import type { Product } from '#shared/platform/product.ts';
import type { CrossAccountQueries, DueRow } from '#shared/platform/store/cross-account-queries.ts';
import type { Accounts, WorkerContext } from '#shared/platform/worker.ts';
import { commitJob, findJob, type Job } from './job.ts';
import { type JobState, reminded } from './state.ts';

export const MARGIN_MS = 5000;

interface ReminderCounts {
  reminded: number;
  failed: number;
  /** The waiting time of the job that was due first, in milliseconds. */
  late_ms: number;
}

/** Sends another message for each due job of a kind, or fails the job after the last message. */
export const remindDue = async <T extends JobState, M extends Product['message'], S>(
  job: Job<T, M, S>,
  context: WorkerContext,
  { storesOf, across }: Accounts<S, Pick<CrossAccountQueries, 'due'>>,
): Promise<ReminderCounts> => {
  const counts: ReminderCounts = { reminded: 0, failed: 0, late_ms: 0 };
  const now = Date.parse(context.now());
  await reconcileEach(across.due(job.table, now), context, async (key) => {
    counts.late_ms = Math.max(counts.late_ms, now - key.due_at);
    const outcome = await remind(job, key, context, storesOf(key.account_id));
    if (outcome) counts[outcome] += 1;
  });
  if (counts.reminded > 0) context.count(job.remindedMetric, counts.reminded);
  return counts;
};

/** Reports an item that fails and continues with the others; the next run finds it again. */
export const reconcileEach = <T extends object>(
  items: AsyncGenerator<T>,
  { remaining, report }: WorkerContext,
  reconcile: (item: T) => Promise<void>,
): Promise<void> =>
  inParallel(items, async (item) => {
    if (remaining() < MARGIN_MS) return void (await items.return(undefined));
    await reconcile(item).catch((error) => report('not reconciled', { ...item, error }));
  });

const CONCURRENCY = 16;

/**
 * Handles several items at a time. It waits for the handlers that it has started, even when reading the next item
 * fails.
 */
export const inParallel = async <T>(items: AsyncGenerator<T>, handle: (item: T) => Promise<void>): Promise<void> => {
  const handleNext = async () => {
    for (let next = await items.next(); !next.done; next = await items.next()) await handle(next.value);
  };
  const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, handleNext));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
};

const remind = async <T extends JobState, M extends Product['message'], S>(
  job: Job<T, M, S>,
  key: DueRow,
  context: WorkerContext,
  stores: S,
): Promise<'reminded' | 'failed' | undefined> => {
  const before = await findJob(job, stores, key.id);
  if (!before) return undefined;
  const after = reminded(job, before, context.now());
  if (after === before || !(await commitJob(job, context, stores, before, after))) return undefined;
  if (job.hasEnded(after)) return 'failed';
  await context.send(job.queue, job.toMessage(key));
  return 'reminded';
};
