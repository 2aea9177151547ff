import type { CrossAccountQueries, DueRow } from '#shared/platform/store/cross-account-queries.ts';
import type { Accounts, WorkerContext } from '#shared/platform/worker.ts';
import type { Message } from '#shared/vocabulary.ts';
import { commitJob, findJob, type Job } from './job.ts';
import { type JobState, reminded } from './state.ts';
import { hasTime, inParallel, inShares } from './turns.ts';

interface ReminderCounts {
  reminded: number;
  failed: number;
  /** The waiting time of the job that was due first, in milliseconds; undefined if not all due jobs were read. */
  late_ms?: number;
}

/** Sends another message for each due job of a kind, or fails the job after the last message. */
export const remindDue = async <T extends JobState, M extends Message, S>(
  job: Job<T, M, S>,
  context: WorkerContext,
  { storesOf, across }: Accounts<S, Pick<CrossAccountQueries, 'due'>>,
): Promise<ReminderCounts> => {
  const counts: ReminderCounts = { reminded: 0, failed: 0 };
  const now = Date.parse(context.now());
  const rows = withLateness(across.due(job.table, now), now, (late_ms) => {
    counts.late_ms = late_ms;
  });
  await reconcileEach(inShares(rows), context, async (key) => {
    const outcome = await remind(job, key, context, storesOf(key.account_id));
    if (outcome) counts[outcome] += 1;
  });
  if (counts.reminded > 0) context.count(job.remindedMetric, counts.reminded);
  return counts;
};

/** Reports how late the first of the rows is, in milliseconds; reports nothing if not all of them are read. */
export async function* withLateness<T extends { readonly due_at: number }>(
  rows: AsyncIterable<T>,
  now: number,
  report: (late_ms: number) => void,
): AsyncGenerator<T> {
  let late_ms = 0;
  for await (const row of rows) {
    late_ms = Math.max(late_ms, now - row.due_at);
    yield row;
  }
  report(late_ms);
}

/** Reports an item that fails and continues with the others; the next run finds it again. */
export const reconcileEach = <T extends object>(
  items: AsyncGenerator<T>,
  context: WorkerContext,
  reconcile: (item: T) => Promise<void>,
): Promise<void> =>
  inParallel(items, async (item) => {
    if (!hasTime(context)) return void (await items.return(undefined));
    await reconcile(item).catch((error) => context.report('not reconciled', { ...item, error }));
  });

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
