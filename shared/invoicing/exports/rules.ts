import { type Creation, createEntity, type Entity, nextVersion } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { type ExportFilter, startDelay } from './range.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export const EXPORT_STATUSES = ['pending', 'running', 'completed', 'failed', 'canceled'] as const;

/** The writable fields of an export (CONTRACT §4). */
export interface ExportTerms {
  /** The collection of the exported resource. */
  type: string;
  format: (typeof EXPORT_FORMATS)[number];
  filter: ExportFilter;
}

/** An export, and the state of the job that writes its file. */
export interface Export extends ExportTerms, Entity {
  readonly status: (typeof EXPORT_STATUSES)[number];
  /** Number of rows in the file, up to the last checkpoint while the job runs. */
  readonly row_count: number;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** The time at which the file is deleted. */
  readonly expires_at: string | null;
  /** Number of claims and restarts. The keys of an attempt's objects contain it. */
  readonly attempt: number;
  /** Number of claims since the last progress. */
  readonly tries: number;
  /** Number of messages from the reconciler since the last claim. */
  readonly reminders: number;
  /** End of the current lease, in epoch milliseconds; 0 without a lease. */
  readonly lease_until: number;
  /** When the reconciler acts on the job, in epoch milliseconds; absent after its end. */
  readonly due_at?: number | undefined;
  readonly checkpoint?: Checkpoint | undefined;
  /** The v1 fields in the file, in order, as of the first claim: a later deployment may have other fields (CONTRACT §9). */
  readonly columns?: readonly string[] | undefined;
  readonly file_key?: string | undefined;
}

/** The position from which the next attempt continues. All fields are written together. */
export interface Checkpoint {
  /** The id of the last row. */
  readonly after: number;
  readonly row_count: number;
  /** The state of the SHA-256 so far. */
  readonly digest: Uint8Array;
  /** Absent while the file is smaller than a part. */
  readonly upload?: Upload | undefined;
  /** The object with the bytes after the last part. */
  readonly rest?: { readonly key: string; readonly bytes: number } | undefined;
  /**
   * The SHA-256 of the whole file, in hexadecimal, once the last part is stored. An upload is completed only after a
   * checkpoint with this field, so every attempt completes it from the same parts.
   */
  readonly sha256?: string | undefined;
}

export interface Upload {
  readonly id: string;
  readonly key: string;
  /** The ETag of each part. Part numbers start at 1 without gaps, which S3 requires for parts with checksums. */
  readonly etags: readonly string[];
  readonly bytes: number;
}

/** If no worker claims the job of a message for this time, the message counts as lost. */
export const GRACE_MS = 60_000;

/** Limit of unfinished exports per account (CONTRACT §10). */
export const MAX_UNFINISHED = 20;

export const TOO_MANY_EXPORTS = {
  code: 'too-many-exports',
  detail: `The account has ${MAX_UNFINISHED} unfinished exports, which is the maximum.`,
} as const;

export const requestExport = (terms: ExportTerms, creation: Creation): Export =>
  createEntity(
    {
      ...terms,
      status: 'pending',
      row_count: 0,
      size_bytes: 0,
      sha256: null,
      error: null,
      started_at: null,
      completed_at: null,
      expires_at: null,
      attempt: 0,
      tries: 0,
      reminders: 0,
      lease_until: 0,
      due_at: Date.parse(creation.at) + startDelay({ ...terms, status: 'pending' }, creation.at) + GRACE_MS,
    },
    creation,
  );

export const isUnfinished = ({ status }: Pick<Export, 'status'>): boolean =>
  status === 'pending' || status === 'running';

/** The worker of a running export notices the cancellation at its next checkpoint or heartbeat (CONTRACT §12). */
export const cancelExport = (job: Export, at: string): Export => {
  if (job.status === 'canceled') return job;
  if (!isUnfinished(job)) throw new ProblemError('export-not-cancelable', { detail: `The export is ${job.status}.` });
  return endExport(job, { status: 'canceled' }, at);
};

export const endExport = (job: Export, end: Partial<Export>, at: string): Export =>
  nextVersion(job, { ...job, ...end, checkpoint: undefined, lease_until: 0, due_at: undefined }, at);

export const hasFile = ({ status }: Pick<Export, 'status'>): boolean => status === 'completed';

/**
 * The key of the object with the file.
 * @throws ProblemError `export-not-ready`, `export-expired` (CONTRACT §9)
 */
export const fileKeyOf = (job: Export, at: string): string => {
  if (!hasFile(job) || job.file_key === undefined) {
    throw new ProblemError('export-not-ready', { detail: `The export is ${job.status}.` });
  }
  if (Date.parse(job.expires_at ?? '') <= Date.parse(at)) throw new ProblemError('export-expired');
  return job.file_key;
};
