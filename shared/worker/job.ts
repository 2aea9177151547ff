import { type Export, isEnding } from '#shared/domain/export.ts';
import type { Places, Work } from './worker.ts';

/** What a change of a job is written with. */
export interface Jobs {
  readonly exports: Pick<Places['exports'], 'replace'>;
  readonly counters: Pick<Places['counters'], 'decrement'>;
}

/**
 * Commits a change of a job, at the version that was read; a job that ends no longer counts as unfinished.
 * @returns false when the job has changed meanwhile
 */
export const commitJob = ({ commit }: Work, { exports, counters }: Jobs, before: Export, after: Export) => {
  const counted = isEnding(before, after) ? counters.decrement('unfinished_exports') : [];
  return commit([...exports.replace(before, after), ...counted]);
};
