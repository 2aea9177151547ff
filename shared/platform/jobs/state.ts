import { type Entity, nextVersion } from '#shared/platform/entity.ts';

/*
 * The transitions of a job's row. Each is committed at the version that was read, so of two that collide one fails: the
 * version is the fence (docs/decisions/0015-the-version-is-the-fence.md).
 *
 *   created ─────────── claimed ─ heartbeat ─ heartbeat ─┬─ ended          no lease, not due
 *   due_at: start,      lease_until and due_at:          ├─ released       due_at: grace; the next message claims it
 *   plus grace          leaseMs from each of them        └─ attemptFailed  due_at: retry, plus grace; ended after the last
 *
 *   due_at passes without a claim: the message was lost, or the worker was lost and its lease has ended.
 *
 *   ─ reminded ─ reminded ─ … ─ ended      each reminder is a message; the wait after it is four times the last one
 *       └─ claimed ─ …
 */

/** The fields of a job's row that this file owns. The names are those of the stored attributes. */
export interface JobState extends Entity {
  /** Number of claims and restarts. Objects that an attempt writes carry it in their names. */
  readonly attempt: number;
  /** Number of claims since the last release, the current one included. */
  readonly tries: number;
  /** Number of reminders since the last claim. */
  readonly reminders: number;
  /** End of the current lease, in epoch milliseconds; 0 without one. */
  readonly lease_until: number;
  /** When the reconciler acts on the job, in epoch milliseconds; absent once the job has ended. */
  readonly due_at?: number | undefined;
}

/** The fields of a job's row that its kind owns. */
export type OwnFields<T extends JobState> = Partial<Omit<T, keyof JobState>>;

/** Why a job failed without an end of its own. */
export type FailureReason = 'attempts-exhausted' | 'never-started' | 'never-resumed';

/** What the transitions of one kind of job depend on. */
export interface JobLifecycle<T extends JobState> {
  /** Length of a lease, in milliseconds. A heartbeat renews it after a quarter of that. */
  readonly leaseMs: number;
  /** Time for a message to be claimed before it counts as lost, in milliseconds. */
  readonly graceMs: number;
  /** The most claims without a release, and the most reminders without a claim. */
  readonly maxAttempts: number;
  /** How long the job must wait before it may be claimed, in milliseconds. */
  startDelayMs(row: T, at: string): number;
  onFail(row: T, reason: FailureReason): OwnFields<T>;
}

/** The state of a new job that may be claimed after `startDelayMs`. */
export const created = (at: string, startDelayMs: number, graceMs: number): Omit<JobState, keyof Entity> => ({
  attempt: 0,
  tries: 0,
  reminders: 0,
  lease_until: 0,
  due_at: ms(at) + startDelayMs + graceMs,
});

/** The state of a job that has ended. */
export const TERMINAL = { lease_until: 0, due_at: undefined } as const;

export const hasEnded = ({ due_at }: Pick<JobState, 'due_at'>): boolean => due_at === undefined;

/** Whether a worker may claim the job: it has not ended, its start is not delayed, and no other worker holds it. */
export const isClaimable = <T extends JobState>(job: JobLifecycle<T>, row: T, at: string): boolean =>
  !hasEnded(row) && row.lease_until <= ms(at) && job.startDelayMs(row, at) === 0;

/** The claimable job with a lease for a new attempt; failed after the last attempt. */
export const claimed = <T extends JobState>(job: JobLifecycle<T>, row: T, own: OwnFields<T>, at: string): T => {
  if (row.tries >= job.maxAttempts) return failed(job, row, 'attempts-exhausted', at);
  const claim = { attempt: row.attempt + 1, tries: row.tries + 1, reminders: 0 };
  return nextVersion(row, { ...row, ...own, ...claim, ...leased(job, at) }, at);
};

export const heartbeatMs = ({ leaseMs }: Pick<JobLifecycle<never>, 'leaseMs'>): number => leaseMs / 4;

/** The job with its lease renewed; the same row when less than a quarter of the lease is over, or without a lease. */
export const heartbeat = <T extends JobState>(job: JobLifecycle<T>, row: T, at: string): T =>
  row.lease_until === 0 || row.lease_until - ms(at) > job.leaseMs - heartbeatMs(job)
    ? row
    : nextVersion(row, { ...row, ...leased(job, at) }, at);

/** The job with its progress saved, and its lease renewed. */
export const progressed = <T extends JobState>(job: JobLifecycle<T>, row: T, own: OwnFields<T>, at: string): T =>
  nextVersion(row, { ...row, ...own, ...leased(job, at) }, at);

/** The job with another attempt's number in the hands of the same worker, which begins its output again. */
export const restarted = <T extends JobState>(job: JobLifecycle<T>, row: T, own: OwnFields<T>, at: string): T =>
  nextVersion(row, { ...row, ...own, ...leased(job, at), attempt: row.attempt + 1 }, at);

/** The job with its progress saved, free for the next attempt; the attempts before it no longer count. */
export const released = <T extends JobState>(job: JobLifecycle<T>, row: T, own: OwnFields<T>, at: string): T =>
  nextVersion(row, { ...row, ...own, lease_until: 0, due_at: ms(at) + job.graceMs, tries: 0 }, at);

/**
 * The job after an attempt that failed: free for the next one, or failed after the last.
 * @param retryDelayMs when its message comes again
 */
export const attemptFailed = <T extends JobState>(job: JobLifecycle<T>, row: T, retryDelayMs: number, at: string): T =>
  row.tries >= job.maxAttempts
    ? failed(job, row, 'attempts-exhausted', at)
    : nextVersion(row, { ...row, lease_until: 0, due_at: ms(at) + retryDelayMs + job.graceMs }, at);

/** The job without a further attempt: succeeded, failed or canceled, as its own fields say. */
export const ended = <T extends JobState>(row: T, own: OwnFields<T>, at: string): T =>
  nextVersion(row, { ...row, ...own, ...TERMINAL }, at);

/** The job after another message for it, or failed after the last; the same row when it is not due. */
export const reminded = <T extends JobState>(job: JobLifecycle<T>, row: T, at: string): T => {
  if (row.due_at === undefined || row.due_at > ms(at)) return row;
  if (row.tries >= job.maxAttempts) return failed(job, row, 'attempts-exhausted', at);
  if (row.reminders >= job.maxAttempts) {
    return failed(job, row, row.attempt === 0 ? 'never-started' : 'never-resumed', at);
  }
  const due_at = ms(at) + reminderDelayMs(job, row.reminders);
  return nextVersion(row, { ...row, lease_until: 0, reminders: row.reminders + 1, due_at }, at);
};

/** How long to wait for a claim after the reminder of this number, from 0: longer each time, as the queue may be long. */
const reminderDelayMs = ({ graceMs }: Pick<JobLifecycle<never>, 'graceMs'>, reminder: number): number =>
  graceMs * 4 ** reminder;

const failed = <T extends JobState>(job: JobLifecycle<T>, row: T, reason: FailureReason, at: string): T =>
  ended(row, job.onFail(row, reason), at);

const leased = ({ leaseMs }: Pick<JobLifecycle<never>, 'leaseMs'>, at: string) => ({
  lease_until: ms(at) + leaseMs,
  due_at: ms(at) + leaseMs,
});

const ms = (at: string): number => Date.parse(at);
