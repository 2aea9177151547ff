import type { StoresOf } from '#shared/invoicing/declarations.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import { nextVersion } from '#shared/platform/entity.ts';
import type { Metric } from '#shared/vocabulary.ts';
import { FILE_DAYS } from './lifetimes.ts';
import { type Checkpoint, type Export, endExport, GRACE_MS, isUnfinished } from './rules.ts';

/*
 * The transitions of a job's row. Each is committed at the version that was read, so one of two concurrent ones fails
 * (docs/decisions/0014).
 *
 *   requestExport ─ claim ──────── renew ─ saveCheckpoint ─┬─ complete       no lease, no due_at
 *   due_at: start   lease_until and due_at:                ├─ release        due_at: now + grace; a message follows
 *   + grace         now + LEASE_MS at each step            │
 *                                                          └─ failAttempt    due_at: now + pause + grace; a message
 *                                                                            follows. Ended after MAX_ATTEMPTS claims
 *
 *   due_at passes when the message was lost, or when the worker was lost and its lease has expired. Then:
 *
 *   remind ─ remind ─ … ─ ended        each reminder sends a message; due_at: now + grace × 1, 4, 16 …;
 *       └─ claim ─ …                   ended after MAX_ATTEMPTS reminders without a claim
 */

export const JOB_USES = { exports: ['find', 'replace'], counters: ['decrement'] } as const;

export type JobStores = StoresOf<typeof JOB_USES>;

export const findJob = async ({ exports }: Pick<JobStores, 'exports'>, id: number): Promise<Export | undefined> =>
  (await exports.find([id])).get(id);

/**
 * Commits a transition, and at the end of the job its counter and metric.
 * @returns false when the job has changed since it was read
 */
export const commitJob = async (
  { commit, count }: Pick<WorkerContext, 'commit' | 'count'>,
  { exports, counters }: JobStores,
  before: Export,
  after: Export,
): Promise<boolean> => {
  const ends = isUnfinished(before) && !isUnfinished(after);
  const isDone = await commit(() => [
    ...exports.replace(before, after),
    ...(ends ? counters.decrement('unfinished_exports') : []),
  ]);
  const metric = ends && END_METRICS[after.status];
  if (isDone && metric) count(metric);
  return isDone;
};

const END_METRICS: { readonly [S in Export['status']]?: Metric } = {
  completed: 'ExportsCompleted',
  failed: 'ExportsFailed',
};

export const LEASE_MS = 60_000;
export const HEARTBEAT_MS = LEASE_MS / 4;

/** Limit of claims without progress, and of reminders without a claim. */
const MAX_ATTEMPTS = 5;

export const isLeased = ({ lease_until }: Pick<Export, 'lease_until'>, at: string): boolean => lease_until > ms(at);

/**
 * Adds a lease for a new attempt to an unfinished job without a lease. After the last attempt, the job fails instead.
 * All lines of a file have the same columns: if this deployment does not know a column, the file starts again.
 * @param fields the v1 fields of this deployment
 */
export const claim = (job: Export, fields: readonly string[], at: string): Export => {
  if (job.tries >= MAX_ATTEMPTS) return fail(job, 'attempts-exhausted', at);
  const isContinued = job.columns?.every((name) => fields.includes(name));
  const file = isContinued ? {} : { columns: fields, ...writtenTo(undefined) };
  const counts = { attempt: job.attempt + 1, tries: job.tries + 1, reminders: 0 };
  const started = { status: 'running', started_at: job.started_at ?? at } as const;
  return nextVersion(job, { ...job, ...file, ...started, ...counts, ...leaseFrom(at) }, at);
};

/** Renews the lease; returns the same job without a lease, or before a quarter of the lease has passed. */
export const renew = (job: Export, at: string): Export =>
  job.lease_until === 0 || job.lease_until - ms(at) > LEASE_MS - HEARTBEAT_MS
    ? job
    : nextVersion(job, { ...job, ...leaseFrom(at) }, at);

/** Saves progress; earlier claims no longer count, unless this attempt has restarted the file. */
export const saveCheckpoint = (job: Export, checkpoint: Checkpoint, at: string, isRestarted = false): Export =>
  nextVersion(job, { ...job, ...writtenTo(checkpoint), ...leaseFrom(at), tries: isRestarted ? job.tries : 0 }, at);

/** Begins a new attempt by the same worker, which writes the file again from the beginning. */
export const restart = (job: Export, at: string): Export =>
  nextVersion(job, { ...job, ...writtenTo(undefined), ...leaseFrom(at), attempt: job.attempt + 1 }, at);

/** Saves progress and ends the lease; earlier claims no longer count. */
export const release = (job: Export, checkpoint: Checkpoint | undefined, at: string): Export => {
  const unclaimed = { tries: 0, reminders: 0, lease_until: 0, due_at: ms(at) + GRACE_MS };
  return nextVersion(job, { ...job, ...writtenTo(checkpoint), ...unclaimed }, at);
};

const FIRST_PAUSE_MS = 30_000;

/** Time before the next attempt. It doubles with each claim since the last progress. */
export const retryPauseMs = ({ tries }: Pick<Export, 'tries'>): number => FIRST_PAUSE_MS * 2 ** Math.max(0, tries - 1);

/** @param pauseMs time before the message of the next attempt */
export const failAttempt = (job: Export, pauseMs: number, at: string): Export =>
  job.tries >= MAX_ATTEMPTS
    ? fail(job, 'attempts-exhausted', at)
    : nextVersion(job, { ...job, lease_until: 0, due_at: ms(at) + pauseMs + GRACE_MS }, at);

/**
 * Counts another message for a due job, or fails the job after the last message. A job that is not due stays unchanged.
 */
export const remind = (job: Export, at: string): Export => {
  if (job.due_at === undefined || job.due_at > ms(at)) return job;
  if (job.tries >= MAX_ATTEMPTS) return fail(job, 'attempts-exhausted', at);
  if (job.reminders >= MAX_ATTEMPTS) return fail(job, job.attempt === 0 ? 'never-started' : 'never-resumed', at);
  // The time for a claim grows, because a long queue delays messages.
  const due_at = ms(at) + GRACE_MS * 4 ** job.reminders;
  return nextVersion(job, { ...job, lease_until: 0, reminders: job.reminders + 1, due_at }, at);
};

const FAILURES = {
  'attempts-exhausted': `The export was attempted ${MAX_ATTEMPTS} times without success.`,
  'never-started': 'No worker started the export.',
  'never-resumed': 'The export was interrupted, and no worker resumed it.',
} as const;

export const fail = (job: Export, code: keyof typeof FAILURES, at: string): Export =>
  endExport(job, { status: 'failed', error: { code, detail: FAILURES[code] } }, at);

export interface CompletedFile {
  readonly key: string;
  readonly row_count: number;
  readonly size_bytes: number;
  readonly sha256: string;
}

const DAY_MS = 86_400_000;

export const complete = (job: Export, { key, ...file }: CompletedFile, at: string): Export => {
  const expires_at = new Date(ms(at) + FILE_DAYS * DAY_MS).toISOString();
  return endExport(job, { ...file, status: 'completed', file_key: key, completed_at: at, expires_at }, at);
};

/** The fields of an export whose file is written up to a checkpoint; without a checkpoint, nothing is written. */
const writtenTo = (checkpoint: Checkpoint | undefined) => {
  const { row_count = 0, upload, rest } = checkpoint ?? {};
  return { checkpoint, row_count, size_bytes: (upload?.bytes ?? 0) + (rest?.bytes ?? 0) };
};

const leaseFrom = (at: string) => ({ lease_until: ms(at) + LEASE_MS, due_at: ms(at) + LEASE_MS });

const ms = (at: string): number => Date.parse(at);
