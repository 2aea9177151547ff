import type { Accounts, WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { CrossAccountQueries, DueRow } from '#shared/platform/store/cross-account-queries.ts';
import type { Message } from '#shared/vocabulary.ts';
import { commitJob, findJob, type Job } from './job.ts';
import { withLateness } from './lateness.ts';
import { type JobState, reminded } from './state.ts';
import { hasTime, inParallel, inShares } from './turns.ts';

interface Reminders {
  reminded: number;
  failed: number;
  /** Whether no due job is left to the next pass. */
  readonly isComplete: boolean;
}

/** Sends another message for each due job of a kind, or fails the job after the last message. */
export const remindDue = async <T extends JobState, M extends Message, S>(
  job: Job<T, M, S>,
  context: WorkerContext,
  { storesOf, across }: Accounts<S, Pick<CrossAccountQueries, 'due'>>,
): Promise<Reminders> => {
  const counts = { reminded: 0, failed: 0 };
  const now = Date.parse(context.now());
  const late_ms = await reconcileDue(across.due(job.table, now), now, context, async (key) => {
    const outcome = await remind(job, key, context, storesOf(key.account_id));
    if (outcome) counts[outcome] += 1;
  });
  if (counts.reminded > 0) context.count(job.remindedMetric, counts.reminded);
  return { ...counts, isComplete: late_ms !== undefined };
};

/**
 * Reconciles rows that are due.
 * @returns how late the oldest of them was, in milliseconds; undefined after an incomplete pass
 */
export const reconcileDue = async <T extends DueRow>(
  rows: AsyncGenerator<T>,
  now: number,
  context: WorkerContext,
  reconcile: (row: T) => Promise<void>,
): Promise<number | undefined> => {
  let late_ms: number | undefined;
  // Before `inShares`, which leaves some of very many rows to the next pass.
  const measured = withLateness(rows, now, (ms) => {
    late_ms = ms;
  });
  return (await reconcileEach(inShares(measured), context, reconcile)) ? late_ms : undefined;
};

/**
 * Reports an item that fails and continues with the others; the next run finds it again.
 * @returns whether the time was enough for all items, and none has failed
 */
export const reconcileEach = async <T extends object>(
  items: AsyncGenerator<T>,
  context: WorkerContext,
  reconcile: (item: T) => Promise<void>,
): Promise<boolean> => {
  let isComplete = true;
  await inParallel(items, async (item) => {
    if (hasTime(context)) {
      return reconcile(item).catch((error) => {
        isComplete = false;
        context.report('not reconciled', { ...item, error });
      });
    }
    isComplete = false;
    await items.return(undefined);
  });
  return isComplete;
};

const remind = async <T extends JobState, M extends Message, S>(
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
