import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';

export interface ExportFilter {
  readonly created_from?: string;
  readonly created_before?: string;
  readonly [attribute: string]: string | number | undefined;
}

/**
 * The longest time from a row's `created_at` to its commit, in milliseconds. A request sets `created_at` when its
 * function starts and commits before the function ends, so this must exceed the function's limit of 15 seconds
 * (shared/runtime/defaults.ts). The rest allows for the difference between two clocks.
 */
export const SETTLE_MS = 20_000;

/** How far the clock of another function may be ahead, in milliseconds (CONTRACT §9). */
export const CLOCK_MS = 5000;

interface DelayedExport {
  readonly status: string;
  readonly filter: ExportFilter;
}

/**
 * How long a job must wait before a worker may start it, in milliseconds. Rows that were created before `created_before`
 * may be committed up to {@link SETTLE_MS} later. A job that starts earlier could miss these rows, and so could the job
 * of the next window (CONTRACT §9). If the range of a job that starts now ends before `created_before`, no delay is
 * necessary.
 */
export const startDelay = ({ status, filter = {} }: DelayedExport, at: string): number => {
  const untilEnd = Date.parse(filter.created_before ?? '') - Date.parse(at);
  return status === 'pending' && untilEnd > -SETTLE_MS && untilEnd < CLOCK_MS ? untilEnd + SETTLE_MS : 0;
};

/** The rows of a file: a range of ids, and the values that they must have (CONTRACT §9). */
export interface Rows {
  /** Inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly before: number;
  readonly filter: Readonly<Record<string, string | number>>;
}

interface StartedExport {
  readonly filter: ExportFilter;
  readonly started_at: string | null;
  readonly created_at: string;
}

/**
 * Ids contain the creation time, so a range of creation times is a range of ids. It ends {@link CLOCK_MS} after the
 * start, so that it contains every row that is committed at the start. The clock of the worker may also be behind the
 * clock that set `created_at`.
 */
export const rowsOf = ({ filter, started_at, created_at }: StartedExport): Rows => {
  const { created_from, created_before, ...values } = filter;
  const latest = Math.max(createId(created_at, 0), createId(started_at ?? created_at, 0));
  const end = latest + CLOCK_MS * IDS_PER_MILLISECOND;
  const toId = (time: string | undefined, fallback: number) =>
    time === undefined ? fallback : Math.min(Math.max(createId(time, 0), 0), end);
  return {
    from: toId(created_from, 0),
    before: toId(created_before, end),
    filter: values as Rows['filter'],
  };
};
