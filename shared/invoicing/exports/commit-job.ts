import { type Export, isEnding } from '#shared/invoicing/exports/rules.ts';
import type { Metric } from '#shared/invoicing/metrics.ts';
import type { Places, Work } from '#shared/platform/worker.ts';

/** What a change of a job is written with. */
export interface Jobs {
  readonly exports: Pick<Places['exports'], 'replace'>;
  readonly counters: Pick<Places['counters'], 'decrement'>;
}

/** The ends of an export that are counted. */
const METRICS: { readonly [S in Export['status']]?: Metric } = {
  completed: 'ExportsCompleted',
  failed: 'ExportsFailed',
};

/**
 * Commits a change of a job, at the version that was read; a job that ends no longer counts as unfinished.
 * @returns false when the job has changed meanwhile
 */
export const commitJob = async (
  { commit, count }: Pick<Work, 'commit' | 'count'>,
  { exports, counters }: Jobs,
  before: Export,
  after: Export,
): Promise<boolean> => {
  const ends = isEnding(before, after);
  const counted = ends ? counters.decrement('unfinished_exports') : [];
  const isDone = await commit([...exports.replace(before, after), ...counted]);
  const metric = METRICS[after.status];
  if (isDone && ends && metric) count(metric);
  return isDone;
};
