import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import type { Export } from './rules.ts';

/**
 * The longest time from a row's `created_at` to its commit, in milliseconds. A request sets `created_at` when its
 * function starts and commits before the function ends, so this must exceed the function's limit of 15 seconds
 * (shared/platform/lambda/defaults.ts); the rest is for the difference between two clocks.
 */
export const SETTLE_MS = 20_000;

/**
 * How long a job must wait before a worker may start it, in milliseconds. Rows that were created before
 * `created_before` may still be committed during the next {@link SETTLE_MS}; a job that started within that time could
 * miss them, and so could the job of the next window (CONTRACT §9). When `created_before` lies in the future, the range
 * ends at the start of the job, and there is no reason to wait.
 */
export const startDelay = ({ status, filter }: Pick<Export, 'status' | 'filter'>, at: string): number => {
  const delay = Date.parse(filter.created_before ?? '') + SETTLE_MS - Date.parse(at);
  return status === 'pending' && delay > 0 && delay <= SETTLE_MS ? delay : 0;
};

/** The rows in a file: a range of ids, and values that all of them have (CONTRACT §9). */
export interface Rows {
  /** The first id. */
  readonly from: number;
  /** The id after the last. */
  readonly before: number;
  readonly filter: Readonly<Record<string, string | number>>;
}

/**
 * Ids are times, so the creation times of a filter are a range of ids. The range ends at the later of `created_at` and
 * `started_at`, because the clock of the worker may be behind the clock that set `created_at`.
 */
export const rowsOf = ({ filter, started_at, created_at }: Export): Rows => {
  const { created_from, created_before, ...values } = filter;
  const end = Math.max(createId(created_at, 0), createId(started_at ?? created_at, 0)) + IDS_PER_MILLISECOND;
  const within = (time: string | undefined, otherwise: number) =>
    time === undefined ? otherwise : Math.min(Math.max(createId(time, 0), 0), end);
  return {
    from: within(created_from, 0),
    before: within(created_before, end),
    filter: values as Rows['filter'],
  };
};
