import type { CrossAccountQueries, DueRow } from '#shared/platform/data/cross-account-queries.ts';
import type { Product } from '#shared/platform/product.ts';
import type { WorkerContext } from '#shared/platform/worker.ts';
import { commitJob, findJob, type Job } from './job.ts';
import { hasEnded, type JobState, reminded } from './state.ts';

/** Time that a run keeps back to end in. */
export const MARGIN_MS = 5000;

/** How many jobs a run of the reconciler sent another message for, and how many it failed. */
export interface Reminded {
  reminded: number;
  failed: number;
}

/** Sends another message for each job of a kind that is due and that no worker holds, or fails it after the last. */
export const remindDue = async <T extends JobState, M extends Product['message'], S>(
  job: Job<T, M, S>,
  context: WorkerContext,
  storesOf: (account: string) => S & { readonly across: Pick<CrossAccountQueries, 'due'> },
): Promise<Reminded> => {
  const did: Reminded = { reminded: 0, failed: 0 };
  const due = storesOf('').across.due(job.table, Date.parse(context.now()));
  await settleEach(due, context, async (key) => {
    const outcome = await remind(job, key, context, storesOf(key.account_id));
    if (outcome) did[outcome] += 1;
  });
  if (did.reminded > 0) context.count(job.remindedMetric, did.reminded);
  return did;
};

/** One that fails does not keep the others from their turn; the next run meets it again. */
export const settleEach = async <T extends object>(
  found: AsyncIterable<T>,
  { remaining, report }: WorkerContext,
  settle: (one: T) => Promise<void>,
): Promise<void> => {
  for await (const one of found) {
    if (remaining() < MARGIN_MS) return;
    await settle(one).catch((error) => report('not reconciled', { ...one, error }));
  }
};

const remind = async <T extends JobState, M extends Product['message'], S>(
  job: Job<T, M, S>,
  key: DueRow,
  context: WorkerContext,
  stores: S,
): Promise<keyof Reminded | undefined> => {
  const before = await findJob(job, stores, key.id);
  if (!before) return undefined;
  const after = reminded(job, before, context.now());
  if (after === before || !(await commitJob(job, context, stores, before, after))) return undefined;
  if (hasEnded(after)) return 'failed';
  await context.send(job.toMessage(key));
  return 'reminded';
};
