import type { StoresOf } from '#shared/invoicing/declarations.ts';
import type { Job } from '#shared/platform/jobs/job.ts';
import type { FailureReason, OwnFields } from '#shared/platform/jobs/state.ts';
import type { ExportMessage, Metric } from '#shared/vocabulary.ts';
import { FILE_DAYS } from './lifetimes.ts';
import { startDelay } from './range.ts';
import { type Checkpoint, type Export, GRACE_MS, isUnfinished } from './rules.ts';

export const JOB_USES = { exports: ['find', 'replace'], counters: ['decrement'] } as const;

const MAX_ATTEMPTS = 5;

const DETAILS: Readonly<Record<FailureReason, string>> = {
  'attempts-exhausted': `The export was attempted ${MAX_ATTEMPTS} times without success.`,
  'never-started': 'No worker started the export.',
  'never-resumed': 'The export was interrupted, and no worker resumed it.',
};

const METRICS: { readonly [S in Export['status']]?: Metric } = {
  completed: 'ExportsCompleted',
  failed: 'ExportsFailed',
};

/** CONTRACT §9. */
export const exportJob: Job<Export, ExportMessage, StoresOf<typeof JOB_USES>> = {
  table: 'exports',
  queue: 'exports',
  rows: ({ exports }) => exports,
  toMessage: ({ account_id, id }) => ({ account_id, export_id: id }),
  toId: ({ export_id }) => export_id,
  leaseMs: 60_000,
  graceMs: GRACE_MS,
  maxAttempts: MAX_ATTEMPTS,
  hasEnded: (job) => !isUnfinished(job),
  startDelayMs: startDelay,
  onFail: (_, code) => ({ checkpoint: undefined, status: 'failed', error: { code, detail: DETAILS[code] } }),
  endWrites: ({ counters }) => counters.decrement('unfinished_exports'),
  endMetric: ({ status }) => METRICS[status],
  remindedMetric: 'ExportsReminded',
};

/**
 * The fields of an export after a claim. All lines of a file have the same columns: if this deployment does not know a
 * column, the file starts again.
 * @param fields the v1 fields of this deployment
 */
export const claimedFields = (
  { columns, started_at }: Export,
  fields: readonly string[],
  at: string,
): OwnFields<Export> => {
  const isKnown = columns?.every((name) => fields.includes(name));
  const file = isKnown ? {} : { columns: fields, ...writtenFields(undefined) };
  return { ...file, status: 'running', started_at: started_at ?? at };
};

/** The fields of an export whose file is written up to a checkpoint; without one, not at all. */
export const writtenFields = (checkpoint: Checkpoint | undefined): OwnFields<Export> => {
  const { row_count = 0, upload, rest } = checkpoint ?? {};
  return { checkpoint, row_count, size_bytes: (upload?.bytes ?? 0) + (rest?.bytes ?? 0) };
};

export interface CompletedFile {
  readonly key: string;
  readonly row_count: number;
  readonly size_bytes: number;
  readonly sha256: string;
}

const DAY_MS = 86_400_000;

export const completedFields = ({ key, ...file }: CompletedFile, at: string): OwnFields<Export> => ({
  checkpoint: undefined,
  ...file,
  status: 'completed',
  file_key: key,
  completed_at: at,
  expires_at: new Date(Date.parse(at) + FILE_DAYS * DAY_MS).toISOString(),
});
