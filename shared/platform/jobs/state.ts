import { type Entity, nextVersion } from '#shared/platform/entity.ts';

/*
 * The transitions of a job's row. Each is committed at the version that was read, so one of two concurrent ones fails
 * (docs/decisions/0014-the-version-fences-an-export.md).
 *
 *   created ─────────── claimed ─ heartbeat ─ progressed ┬─ ended          no lease, no due_at
 *   due_at: start       lease_until and due_at:          ├─ released       due_at: now + grace; a message follows
 *   + grace             now + leaseMs at each step       │
 *                                                        └─ attemptFailed  due_at: now + pause + grace; a message
 *                                                                          follows. Ended after maxAttempts claims
 *
 *   due_at passes when the message was lost, or when the worker was lost and its lease has expired. Then:
 *
 *   reminded ─ reminded ─ … ─ ended        each reminder sends a message; due_at: now + grace × 1, 4, 16 …;
 *       └─ claimed ─ …                     ended after maxAttempts reminders without a claim
 */

/** The longest time for which SQS hides a message. After a longer pause, the reconciler sends one. */
export const MAX_MESSAGE_DELAY_MS = 900_000;

/** The fields of a job's row that this file owns, by the names of their stored attributes. */
export interface JobState extends Entity {
  /** Number of claims and restarts. The keys of an attempt's objects contain it. */
  readonly attempt: number;
  /** Number of claims since the last progress. */
  readonly tries: number;
  readonly reminders: number;
  /** End of the current lease, in epoch milliseconds; 0 without one. */
  readonly lease_until: number;
  /** When the reconciler acts on the job, in epoch milliseconds; absent after its end. */
  readonly due_at?: number | undefined;
}

export const JOB_ATTRIBUTES = [
  'attempt',
  'tries',
  'reminders',
  'lease_until',
  'due_at',
] as const satisfies readonly Exclude<keyof JobState, keyof Entity>[];

export type OwnFields<T extends JobState> = Partial<Omit<T, keyof JobState>>;

/** The failure reason of a job that its attempts have not ended. */
export type FailureReason = 'attempts-exhausted' | 'never-started' | 'never-resumed';

export interface JobLifecycle<T extends JobState> {
  /** Length of a lease. A heartbeat renews it after a quarter of that time. */
  readonly leaseMs: number;
  /** Time in which a message must lead to a claim before it counts as lost. */
  readonly graceMs: number;
  /** Limit of claims without progress, and of reminders without a claim. */
  readonly maxAttempts: number;
  hasEnded(row: T): boolean;
  startDelayMs(row: T, at: string): number;
  onFail(row: T, reason: FailureReason): OwnFields<T>;
}

export const created = (at: string, startDelayMs: number, graceMs: number): Omit<JobState, keyof Entity> => ({
  attempt: 0,
  tries: 0,
  reminders: 0,
  lease_until: 0,
  due_at: ms(at) + startDelayMs + graceMs,
});

const UNCLAIMED = { tries: 0, reminders: 0, lease_until: 0 } as const;
const TERMINAL = { lease_until: 0, due_at: undefined } as const;

/** A job is claimable when it has not ended, its start is not delayed, and no lease is current. */
export const isClaimable = <T extends JobState>(job: JobLifecycle<T>, row: T, at: string): boolean =>
  !job.hasEnded(row) && row.lease_until <= ms(at) && job.startDelayMs(row, at) === 0;

/** Adds a lease for a new attempt to a claimable job. After the last attempt, the job fails instead. */
export const claimed = <T extends JobState>(job: JobLifecycle<T>, row: T, ownFields: OwnFields<T>, at: string): T => {
  if (row.tries >= job.maxAttempts) return failed(job, row, 'attempts-exhausted', at);
  const claim = { attempt: row.attempt + 1, tries: row.tries + 1, reminders: 0 };
  return nextVersion(row, { ...row, ...ownFields, ...claim, ...leaseFrom(job, at) }, at);
};

export const heartbeatMs = ({ leaseMs }: Pick<JobLifecycle<never>, 'leaseMs'>): number => leaseMs / 4;

/** Renews the lease; returns the same row without a lease, or before a quarter of the lease has passed. */
export const heartbeat = <T extends JobState>(job: JobLifecycle<T>, row: T, at: string): T =>
  row.lease_until === 0 || row.lease_until - ms(at) > job.leaseMs - heartbeatMs(job)
    ? row
    : nextVersion(row, { ...row, ...leaseFrom(job, at) }, at);

/** Saves progress; earlier claims no longer count, unless this attempt has written its output again. */
export const progressed = <T extends JobState>(
  job: JobLifecycle<T>,
  row: T,
  ownFields: OwnFields<T>,
  at: string,
  isRestarted = false,
): T => nextVersion(row, { ...row, ...ownFields, ...leaseFrom(job, at), tries: isRestarted ? row.tries : 0 }, at);

/** Begins a new attempt by the same worker, which writes its output again from the beginning. */
export const restarted = <T extends JobState>(job: JobLifecycle<T>, row: T, ownFields: OwnFields<T>, at: string): T =>
  nextVersion(row, { ...row, ...ownFields, ...leaseFrom(job, at), attempt: row.attempt + 1 }, at);

/** Saves progress and ends the lease; earlier claims no longer count. */
export const released = <T extends JobState>(
  job: Pick<JobLifecycle<T>, 'graceMs'>,
  row: T,
  ownFields: OwnFields<T>,
  at: string,
): T => nextVersion(row, { ...row, ...ownFields, ...UNCLAIMED, due_at: ms(at) + job.graceMs }, at);

const FIRST_PAUSE_MS = 30_000;

/** Time before the next attempt. It doubles with each claim since the last progress. */
export const retryPauseMs = ({ tries }: Pick<JobState, 'tries'>): number =>
  FIRST_PAUSE_MS * 2 ** Math.max(0, tries - 1);

/** @param pauseMs time before the message of the next attempt */
export const attemptFailed = <T extends JobState>(job: JobLifecycle<T>, row: T, pauseMs: number, at: string): T =>
  row.tries >= job.maxAttempts
    ? failed(job, row, 'attempts-exhausted', at)
    : nextVersion(row, { ...row, lease_until: 0, due_at: ms(at) + pauseMs + job.graceMs }, at);

export const ended = <T extends JobState>(row: T, ownFields: OwnFields<T>, at: string): T =>
  nextVersion(row, { ...row, ...ownFields, ...TERMINAL }, at);

/** Counts another message for a due job, or fails the job after the last message. If it is not due, it is unchanged. */
export const reminded = <T extends JobState>(job: JobLifecycle<T>, row: T, at: string): T => {
  if (row.due_at === undefined || row.due_at > ms(at)) return row;
  if (row.tries >= job.maxAttempts) return failed(job, row, 'attempts-exhausted', at);
  if (row.reminders >= job.maxAttempts) {
    return failed(job, row, row.attempt === 0 ? 'never-started' : 'never-resumed', at);
  }
  const due_at = ms(at) + reminderDelayMs(job, row.reminders);
  return nextVersion(row, { ...row, lease_until: 0, reminders: row.reminders + 1, due_at }, at);
};

/** Time for a claim after this reminder (from 0). It grows, because a long queue delays messages. */
const reminderDelayMs = ({ graceMs }: Pick<JobLifecycle<never>, 'graceMs'>, reminder: number): number =>
  graceMs * 4 ** reminder;

const failed = <T extends JobState>(job: JobLifecycle<T>, row: T, reason: FailureReason, at: string): T =>
  ended(row, job.onFail(row, reason), at);

const leaseFrom = ({ leaseMs }: Pick<JobLifecycle<never>, 'leaseMs'>, at: string) => ({
  lease_until: ms(at) + leaseMs,
  due_at: ms(at) + leaseMs,
});

const ms = (at: string): number => Date.parse(at);
