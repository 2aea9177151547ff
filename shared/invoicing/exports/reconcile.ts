import type { AccountsOf } from '#shared/invoicing/declarations.ts';
import { commitJob, findJob, JOB_USES, type JobStores, remind } from '#shared/invoicing/exports/job.ts';
import { UPLOAD_DAYS } from '#shared/invoicing/exports/lifetimes.ts';
import { isUnfinished } from '#shared/invoicing/exports/rules.ts';
import type { Accounts, WorkerContext } from '#shared/platform/declarations/worker.ts';
import { createId } from '#shared/platform/id.ts';
import { reconcileDue, reconcileEach } from '#shared/platform/jobs/reconcile.ts';
import { hasTime } from '#shared/platform/jobs/turns.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';

export const EXPORT_RECONCILER_USES = { ...JOB_USES, files: ['abortUpload'], across: ['due', 'uploads'] } as const;

type ReconcilerAccounts = AccountsOf<typeof EXPORT_RECONCILER_USES>;

interface Reminders {
  reminded: number;
  failed: number;
  /** Whether the pass has handled all due jobs. */
  readonly isComplete: boolean;
}

/** Sends another message for each due job, or fails the job after the last message. */
export const remindDue = async (
  context: WorkerContext,
  { storesOf, across }: Accounts<JobStores, Pick<CrossAccountQueries, 'due'>>,
): Promise<Reminders> => {
  const counts = { reminded: 0, failed: 0 };
  const now = Date.parse(context.now());
  const late_ms = await reconcileDue(across.due('exports', now), now, context, async ({ account_id, id }) => {
    const stores = storesOf(account_id);
    const before = await findJob(stores, id);
    const after = before && remind(before, context.now());
    if (!after || after === before || !(await commitJob(context, stores, before, after))) return;
    counts[isUnfinished(after) ? 'reminded' : 'failed'] += 1;
    if (isUnfinished(after)) await context.send('exports', { account_id, export_id: id });
  });
  if (counts.reminded > 0) context.count('ExportsReminded', counts.reminded);
  return { ...counts, isComplete: late_ms !== undefined };
};

/** A younger upload may belong to an attempt that has not committed its checkpoint yet. */
const MIN_ORPHAN_AGE_MS = 15 * 60_000;

/** An export that no worker has started by then counts for an alarm (docs/runbook.md). */
const OVERDUE_MS = 15 * 60_000;
/** Counting stops at this number, because the alarm needs no exact number. */
const MAX_COUNTED = 100;

const MAX_UPLOAD_MS = UPLOAD_DAYS * 86_400_000;

/**
 * Aborts uploads without an unfinished job, and uploads that take too long, whose jobs then write their files again.
 * @returns the number of aborted uploads
 */
export const abortUploads = async (
  context: WorkerContext,
  { storesOf, across }: ReconcilerAccounts,
): Promise<number> => {
  let aborted = 0;
  const now = Date.parse(context.now());
  await reconcileEach(across.uploads(), context, async (upload) => {
    const age = now - Date.parse(upload.at);
    if (age < MIN_ORPHAN_AGE_MS) return;
    const stores = storesOf(upload.account_id);
    // File names: `<export id>/<attempt>.<format>`.
    const export_id = Number(upload.name.split('/')[0]);
    const job = Number.isSafeInteger(export_id) ? await findJob(stores, export_id) : undefined;
    if (age < MAX_UPLOAD_MS && job && isUnfinished(job) && job.checkpoint?.upload?.id === upload.id) return;
    await stores.files.abortUpload(upload.name, upload.id);
    aborted += 1;
  });
  if (aborted > 0) context.count('UploadsAborted', aborted);
  return aborted;
};

/**
 * Counts exports that are pending too long. Ids contain the creation time, so the query reads only old exports.
 * @returns undefined when the time is over before it has counted all exports
 */
export const countOverdue = async (
  context: WorkerContext,
  { storesOf, across }: ReconcilerAccounts,
): Promise<number | undefined> => {
  const firstYoungId = createId(new Date(Date.parse(context.now()) - OVERDUE_MS).toISOString(), 0);
  let count = 0;
  for await (const key of across.due('exports', Number.MAX_SAFE_INTEGER)) {
    if (count >= MAX_COUNTED) break;
    if (!hasTime(context)) return undefined;
    if (key.id >= firstYoungId) continue;
    const job = await findJob(storesOf(key.account_id), key.id);
    if (job?.status === 'pending') count += 1;
  }
  return count;
};
