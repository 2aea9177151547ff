import { changed } from '#shared/platform/entity.ts';
import { startDelay } from './range.ts';
import { ENDED, type Export, GRACE_MS, isUnfinished } from './rules.ts';

/** Where another attempt goes on: all of it is written, or none of it. */
export interface Checkpoint {
  /** The last row that is dealt with. */
  readonly after: number;
  readonly row_count: number;
  /** The state of the file's SHA-256 so far. */
  readonly digest: Uint8Array;
  /** The upload, once the file is large enough for one. */
  readonly upload?: Upload | undefined;
  /** The object that holds the bytes that are not yet a part of the upload, and how many they are. */
  readonly rest?: { readonly key: string; readonly bytes: number } | undefined;
  /**
   * The SHA-256 of the whole file, in hexadecimal digits, once its last part is stored. Only an upload that a
   * checkpoint with it describes is ever completed, so every attempt completes it from the same parts.
   */
  readonly sha256?: string | undefined;
}

export interface Upload {
  readonly id: string;
  readonly key: string;
  /** The ETag of each part. Parts are numbered from 1 without gaps, as S3 demands where parts have checksums. */
  readonly etags: readonly string[];
  readonly bytes: number;
}

/** How long an attempt is alone with a job after each of its signs of life, in milliseconds. */
export const LEASE_MS = 60_000;
/** How often an attempt renews its lease. */
export const BEAT_MS = LEASE_MS / 4;

const MOST_TRIES = 5;
const DAY_MS = 86_400_000;
/** How long a file lives (CONTRACT §9). */
const FILE_DAYS = 7;

const ms = (at: string): number => Date.parse(at);

/** Whether a worker may claim the job: it is unfinished, its start is not delayed, and no other worker holds it. */
export const isFree = (job: Export, at: string): boolean =>
  isUnfinished(job) && job.lease_until <= ms(at) && startDelay(job, at) === 0;

const leased = (at: string) => ({ lease_until: ms(at) + LEASE_MS, due_at: ms(at) + LEASE_MS });

const EXHAUSTED = {
  code: 'attempts-exhausted',
  detail: `The export was attempted ${MOST_TRIES} times without success.`,
};
const NEVER_STARTED = { code: 'never-started', detail: 'No worker started the export.' };
const NEVER_RESUMED = { code: 'never-resumed', detail: 'The export was interrupted, and no worker resumed it.' };

const failed = (job: Export, error: NonNullable<Export['error']>, at: string): Export =>
  changed(job, { ...job, ...ENDED, status: 'failed', error }, at);

const done = (checkpoint: Checkpoint | undefined) => {
  const { row_count = 0, upload, rest } = checkpoint ?? {};
  return { checkpoint, row_count, size_bytes: (upload?.bytes ?? 0) + (rest?.bytes ?? 0) };
};

/**
 * A free job in the hands of a new attempt, which continues the file; failed after the last attempt. All lines of a file
 * have the same columns: a job of which a later deployment no longer knows a column begins its file again.
 * @param fields the v1 fields that this deployment can write
 */
export const claimed = (job: Export, fields: readonly string[], at: string): Export => {
  const { attempt, tries, started_at, columns } = job;
  if (tries >= MOST_TRIES) return failed(job, EXHAUSTED, at);
  const claim = { status: 'running', attempt: attempt + 1, tries: tries + 1, reminders: 0 } as const;
  const isKnown = columns?.every((name) => fields.includes(name));
  const file = isKnown ? {} : { columns: fields, ...done(undefined) };
  return changed(job, { ...job, ...claim, ...file, ...leased(at), started_at: started_at ?? at }, at);
};

/** The job with its lease renewed once a quarter of it is over; a job that no attempt holds stays as it is. */
export const renewed = (job: Export, at: string): Export =>
  job.lease_until === 0 || job.lease_until - ms(at) > LEASE_MS - BEAT_MS
    ? job
    : changed(job, { ...job, ...leased(at) }, at);

/** A sign of life, with what is done by now. */
export const progressed = (job: Export, checkpoint: Checkpoint, at: string): Export =>
  changed(job, { ...job, ...done(checkpoint), ...leased(at) }, at);

/** The job with its file to be begun again, as another attempt: no two uploads ever have the same key. */
export const restarted = (job: Export, at: string): Export =>
  changed(job, { ...job, ...done(undefined), ...leased(at), attempt: job.attempt + 1 }, at);

/** The job in good order for the next attempt, which a message is on the way to. */
export const handedOver = (job: Export, checkpoint: Checkpoint, at: string): Export =>
  changed(job, { ...job, ...done(checkpoint), lease_until: 0, due_at: ms(at) + GRACE_MS, tries: 0 }, at);

/** The file as it was completed. */
export interface File {
  readonly key: string;
  readonly row_count: number;
  readonly size_bytes: number;
  /** Of the whole file, in hexadecimal digits. */
  readonly sha256: string;
}

export const completed = (job: Export, { key, ...file }: File, at: string): Export => {
  const expires_at = new Date(ms(at) + FILE_DAYS * DAY_MS).toISOString();
  return changed(
    job,
    { ...job, ...ENDED, ...file, status: 'completed', file_key: key, completed_at: at, expires_at },
    at,
  );
};

/**
 * A job whose attempt has failed: free for the next one, or failed with the last (CONTRACT §9).
 * @param retryMs when its message comes again; the reconciler looks later, in case it does not
 */
export const stumbled = (job: Export, retryMs: number, at: string): Export =>
  job.tries >= MOST_TRIES
    ? failed(job, EXHAUSTED, at)
    : changed(job, { ...job, lease_until: 0, due_at: ms(at) + retryMs + GRACE_MS }, at);

/** How long to wait for a claim after the reminder of this number, from 0: ever longer, for the queue may just be long. */
const patienceMs = (reminder: number): number => GRACE_MS * 4 ** reminder;

/**
 * A due job as the reconciler leaves it: reminded of by another message, or failed after the last. A lease that has
 * ended counts as a lost worker.
 */
export const reviewed = (job: Export, at: string): Export => {
  if (!isUnfinished(job) || (job.due_at ?? 0) > ms(at)) return job;
  if (job.tries >= MOST_TRIES) return failed(job, EXHAUSTED, at);
  if (job.reminders >= MOST_TRIES) return failed(job, job.attempt === 0 ? NEVER_STARTED : NEVER_RESUMED, at);
  const due_at = ms(at) + patienceMs(job.reminders);
  return changed(job, { ...job, lease_until: 0, reminders: job.reminders + 1, due_at }, at);
};
