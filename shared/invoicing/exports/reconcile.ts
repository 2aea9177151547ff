import { exportJob, JOB_USES } from '#shared/invoicing/exports/job.ts';
import { createId } from '#shared/platform/id.ts';
import { findJob } from '#shared/platform/jobs/job.ts';
import { MARGIN_MS, reconcileEach } from '#shared/platform/jobs/reconcile.ts';
import { hasEnded } from '#shared/platform/jobs/state.ts';
import type { StoresOf, WorkerContext } from '#shared/platform/worker.ts';

/** What the reconciler uses. */
export const USES = { ...JOB_USES, files: ['abortUpload'], across: ['due', 'uploads'] } as const;

type StoresOfAccount = (account: string) => StoresOf<typeof USES>;

/** A younger upload may be one that its attempt has not yet written down. */
const ORPHAN_MS = 15 * 60_000;

/** An export that no worker has begun by then is one to wake an operator for (docs/runbook.md). */
const OVERDUE_MS = 15 * 60_000;
/** More than so many are as bad as all of them. */
const MAX_OVERDUE = 100;

/**
 * Aborts the uploads that no export continues.
 * @returns how many
 */
export const abortOrphanUploads = async (context: WorkerContext, storesOf: StoresOfAccount): Promise<number> => {
  let aborted = 0;
  const now = Date.parse(context.now());
  await reconcileEach(storesOf('').across.uploads(), context, async (upload) => {
    if (now - Date.parse(upload.at) < ORPHAN_MS) return;
    const stores = storesOf(upload.account_id);
    // Files are called `<export id>/<attempt>.<format>`.
    const export_id = Number(upload.name.split('/')[0]);
    const job = Number.isSafeInteger(export_id) ? await findJob(exportJob, stores, export_id) : undefined;
    if (job && !hasEnded(job) && job.checkpoint?.upload?.id === upload.id) return;
    await stores.files.abortUpload(upload.name, upload.id);
    aborted += 1;
  });
  if (aborted > 0) context.count('UploadsAborted', aborted);
  return aborted;
};

/** Counts the exports that have been pending too long. Their ids tell their age, so that only the old ones are read. */
export const countOverdue = async (context: WorkerContext, storesOf: StoresOfAccount): Promise<void> => {
  const young = createId(new Date(Date.parse(context.now()) - OVERDUE_MS).toISOString(), 0);
  let count = 0;
  for await (const key of storesOf('').across.due(exportJob.table, Number.MAX_SAFE_INTEGER)) {
    if (count >= MAX_OVERDUE || context.remaining() < MARGIN_MS) break;
    if (key.id >= young) continue;
    const job = await findJob(exportJob, storesOf(key.account_id), key.id);
    if (job?.status === 'pending') count += 1;
  }
  context.count('ExportsOverdue', count);
};
