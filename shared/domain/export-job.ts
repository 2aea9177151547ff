import { ENDED, type Export, GRACE_MS, isUnfinished } from './export.ts';
import { IDS_PER_MILLISECOND, id } from './id.ts';
import { changed } from './member.ts';

/** Where another attempt goes on: all of it is written, or none of it. */
export interface Checkpoint {
  /** The last row that is dealt with. */
  readonly after: number;
  readonly row_count: number;
  /** The state of the file's SHA-256 so far. */
  readonly digest: Uint8Array;
  /** The upload, once the file is large enough for one. */
  readonly upload?: Upload | undefined;
  /** The object that holds what is not yet part of the upload; bytes it is long. */
  readonly rest?: { readonly key: string; readonly bytes: number } | undefined;
}

export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly parts: readonly { readonly number: number; readonly etag: string }[];
  readonly bytes: number;
}

/** How long an attempt is alone with a job after each of its signs of life, in milliseconds. */
export const LEASE_MS = 60_000;

const MOST_TRIES = 5;
const DAY_MS = 86_400_000;
/** How long a file lives (CONTRACT §9). */
const FILE_DAYS = 7;

const ms = (at: string): number => Date.parse(at);

/** Whether a worker that is told of the job may take it: nobody is at it. */
export const isFree = (job: Export, at: string): boolean => isUnfinished(job) && job.lease_until <= ms(at);

const leased = (at: string) => ({ lease_until: ms(at) + LEASE_MS, due_at: ms(at) + LEASE_MS });

const EXHAUSTED = {
  code: 'attempts-exhausted',
  detail: `The export was attempted ${MOST_TRIES} times without success.`,
};

const failed = (job: Export, at: string): Export =>
  changed(job, { ...job, ...ENDED, status: 'failed', error: EXHAUSTED }, at);

/** A free job in the hands of a new attempt, which goes on with what was begun; failed after the last one. */
export const claimed = (job: Export, at: string): Export => {
  const { attempt, tries, started_at } = job;
  if (tries >= MOST_TRIES) return failed(job, at);
  const claim = { status: 'running', attempt: attempt + 1, tries: tries + 1, reminders: 0 } as const;
  return changed(job, { ...job, ...claim, ...leased(at), started_at: started_at ?? at }, at);
};

const done = (checkpoint: Checkpoint | undefined) => {
  const { row_count = 0, upload, rest } = checkpoint ?? {};
  return { checkpoint, row_count, size_bytes: (upload?.bytes ?? 0) + (rest?.bytes ?? 0) };
};

/** A sign of life, with what is done by now. */
export const progressed = (job: Export, checkpoint: Checkpoint | undefined, at: string): Export =>
  changed(job, { ...job, ...done(checkpoint), ...leased(at) }, at);

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
    ? failed(job, at)
    : changed(job, { ...job, lease_until: 0, due_at: ms(at) + retryMs + GRACE_MS }, at);

/** How long to wait for a claim after so many reminders: ever longer, for the queue may just be long. */
const patienceMs = (reminders: number): number => GRACE_MS * 4 ** reminders;

/**
 * A due job as the reconciler leaves it: reminded of by another message, or failed after the last. A lease that has
 * ended counts as a lost worker.
 */
export const reviewed = (job: Export, at: string): Export => {
  if (!isUnfinished(job) || (job.due_at ?? 0) > ms(at)) return job;
  if (job.tries >= MOST_TRIES || job.reminders >= MOST_TRIES) return failed(job, at);
  const reminders = job.reminders + 1;
  return changed(job, { ...job, lease_until: 0, reminders, due_at: ms(at) + patienceMs(reminders) }, at);
};

/** Which rows are in the file, by their ids and their values: of those that were there at the start (CONTRACT §9). */
export interface Rows {
  /** The first id. */
  readonly from: number;
  /** The id after the last. */
  readonly before: number;
  readonly filter: Readonly<Record<string, string | number>>;
}

/** Ids are times, so that the creation times of a filter are a range of them. */
export const rowsOf = ({ filter, started_at, created_at }: Export): Rows => {
  const { created_from, created_before, ...values } = filter;
  const end = id(started_at ?? created_at, 0) + IDS_PER_MILLISECOND;
  const within = (time: string | undefined, otherwise: number) =>
    time === undefined ? otherwise : Math.min(Math.max(id(time, 0), 0), end);
  return {
    from: within(created_from, 0),
    before: within(created_before, end),
    filter: values as Rows['filter'],
  };
};
