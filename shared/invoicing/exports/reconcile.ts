import { reviewed } from '#shared/invoicing/exports/job.ts';
import { isUnfinished } from '#shared/invoicing/exports/rules.ts';
import type { Message } from '#shared/invoicing/queues.ts';
import { id } from '#shared/platform/id.ts';
import type { Reach, Work } from '#shared/platform/worker.ts';
import { commitJob } from './commit-job.ts';

/** What the reconciler uses. */
export const USES = {
  exports: ['find', 'replace'],
  counters: ['decrement'],
  files: ['abort'],
  across: ['due', 'uploads'],
} as const;

type Place = Reach<typeof USES>;
type PlacesOf = (account: string) => Place;

/** A younger upload may be one that its attempt has not yet written down. */
const ORPHAN_MS = 15 * 60_000;
/** Time to end in. */
const MARGIN_MS = 5000;

/** An export that no worker has begun by then is one to wake an operator for (docs/runbook.md). */
const OVERDUE_MS = 15 * 60_000;
/** More than so many are as bad as all of them. */
const MOST_OVERDUE = 100;

/** What a run of the reconciler did. */
export interface Reconciled {
  reminded: number;
  failed: number;
  aborted: number;
}

const jobOf = async ({ exports }: Place, export_id: number) =>
  Number.isSafeInteger(export_id) ? (await exports.find([export_id])).get(export_id) : undefined;

/** Sends another message for a job that nobody does, or fails it after the last (CONTRACT §9). */
const review = async (message: Message, work: Work, place: Place, did: Reconciled): Promise<void> => {
  const job = await jobOf(place, message.export_id);
  if (!job) return;
  const after = reviewed(job, work.now());
  if (after === job || !(await commitJob(work, place, job, after))) return;
  if (isUnfinished(after)) {
    await work.send(message);
    did.reminded += 1;
  } else did.failed += 1;
};

/** How many exports have been pending for too long. Their ids tell their age, so that only the old ones are read. */
const overdue = async ({ remaining }: Work, placesOf: PlacesOf, now: number): Promise<number> => {
  const young = id(new Date(now - OVERDUE_MS).toISOString(), 0);
  let count = 0;
  for await (const { account_id, id: export_id } of placesOf('').across.due('exports', Number.MAX_SAFE_INTEGER)) {
    if (count >= MOST_OVERDUE || remaining() < MARGIN_MS) break;
    if (export_id >= young) continue;
    const job = await jobOf(placesOf(account_id), export_id);
    if (job?.status === 'pending') count += 1;
  }
  return count;
};

/**
 * Finds what others have left undone: jobs whose message or worker was lost, and uploads that nobody goes on with.
 * One that fails does not keep the others from their turn; the next run meets it again.
 */
export const reconcile = async (work: Work, placesOf: PlacesOf): Promise<Reconciled> => {
  const did: Reconciled = { reminded: 0, failed: 0, aborted: 0 };
  const each = async <T extends object>(found: AsyncIterable<T>, settle: (one: T) => Promise<void>) => {
    for await (const one of found) {
      if (work.remaining() < MARGIN_MS) return;
      await settle(one).catch((error) => work.report('not reconciled', { ...one, error }));
    }
  };
  const { across } = placesOf('');
  const now = Date.parse(work.now());
  await each(across.due('exports', now), ({ account_id, id: export_id }) =>
    review({ account_id, export_id }, work, placesOf(account_id), did),
  );
  await each(across.uploads(), async (upload) => {
    if (now - Date.parse(upload.at) < ORPHAN_MS) return;
    const place = placesOf(upload.account_id);
    // Files are called `<export id>/<attempt>.<format>`.
    const job = await jobOf(place, Number(upload.name.split('/')[0]));
    if (job && isUnfinished(job) && job.checkpoint?.upload?.id === upload.id) return;
    await place.files.abort(upload.name, upload.id);
    did.aborted += 1;
  });
  if (did.reminded > 0) work.count('ExportsReminded', did.reminded);
  if (did.aborted > 0) work.count('UploadsAborted', did.aborted);
  work.count('ExportsOverdue', await overdue(work, placesOf, now));
  return did;
};
