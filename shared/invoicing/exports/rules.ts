import type { ExportType } from '#shared/invoicing/index.ts';
import { type Creation, createEntity } from '#shared/platform/entity.ts';
import { created, ended, type JobState } from '#shared/platform/jobs/state.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Checkpoint } from './job.ts';
import { startDelay } from './range.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export const EXPORT_STATUSES = ['pending', 'running', 'completed', 'failed', 'canceled'] as const;

/** Which rows a file holds: those with these values, created from one time on and before another (CONTRACT §4). */
export interface ExportFilter {
  readonly created_from?: string;
  readonly created_before?: string;
  readonly [attribute: string]: string | number | undefined;
}

/** What a client writes of an export (CONTRACT §4). */
export interface ExportTerms {
  type: ExportType;
  format: (typeof EXPORT_FORMATS)[number];
  filter: ExportFilter;
}

/** An export as clients see it, and beneath it the job that makes its file. */
export interface Export extends ExportTerms, JobState {
  readonly status: (typeof EXPORT_STATUSES)[number];
  /** What the file holds so far, and in the end. */
  readonly row_count: number;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** When the file is removed. */
  readonly expires_at: string | null;
  readonly checkpoint?: Checkpoint | undefined;
  /** The v1 fields of the file, in order: those of the service at the first claim, also after a deployment (CONTRACT §9). */
  readonly columns?: readonly string[] | undefined;
  /** The object that holds the file. */
  readonly file_key?: string | undefined;
}

/** Time for a message to be claimed before it counts as lost, in milliseconds. */
export const GRACE_MS = 60_000;

/** How many unfinished exports an account may have (CONTRACT §10). */
export const MOST_UNFINISHED = 20;

/** The refusal of a further export (CONTRACT §10). */
export const TOO_MANY_EXPORTS = {
  code: 'too-many-exports',
  detail: `The account has ${MOST_UNFINISHED} unfinished exports, which is the most that it may have.`,
} as const;

/** A new export, which a worker has yet to claim. */
export const requestExport = (terms: ExportTerms, birth: Creation): Export =>
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
      ...created(birth.at, startDelay({ ...terms, status: 'pending' }, birth.at), GRACE_MS),
    },
    birth,
  );

export const isUnfinished = ({ status }: Pick<Export, 'status'>): boolean =>
  status === 'pending' || status === 'running';

/** POST cancel: ends a job that is not done; its worker notices at the next checkpoint (CONTRACT §12). */
export const cancelExport = (job: Export, at: string): Export => {
  if (job.status === 'canceled') return job;
  if (!isUnfinished(job)) throw new ProblemError('export-not-cancelable', { detail: `The export is ${job.status}.` });
  return ended(job, { checkpoint: undefined, status: 'canceled' }, at);
};

/**
 * The object that holds a finished export's file.
 * @throws ProblemError `export-not-ready`, `export-expired` (CONTRACT §9)
 */
export const fileOf = (job: Export, at: string): string => {
  if (job.status !== 'completed' || job.file_key === undefined) {
    throw new ProblemError('export-not-ready', { detail: `The export is ${job.status}.` });
  }
  if (Date.parse(job.expires_at ?? '') <= Date.parse(at)) throw new ProblemError('export-expired');
  return job.file_key;
};
