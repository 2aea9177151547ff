import type { Message } from '#shared/data/queues.ts';
import { isUnfinished } from '#shared/domain/export.ts';
import { reviewed } from '#shared/domain/export-job.ts';
import { id } from '#shared/domain/id.ts';
import { commitJob } from './job.ts';
import type { Reach, Work } from './worker.ts';

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

const jobOf = async ({ exports }: Place, { export_id }: Message) =>
  Number.isSafeInteger(export_id) ? (await exports.find([export_id])).get(export_id) : undefined;

/** Sends another message for a job that nobody does, or fails it after the last (CONTRACT §9). */
const review = async (message: Message, work: Work, place: Place, did: Reconciled): Promise<void> => {
  const job = await jobOf(place, message);
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
  for await (const message of placesOf('').across.due(Number.MAX_SAFE_INTEGER)) {
    if (count >= MOST_OVERDUE || remaining() < MARGIN_MS) break;
    if (message.export_id >= young) continue;
    const job = await jobOf(placesOf(message.account_id), message);
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
  const each = async <T extends Message>(found: AsyncIterable<T>, settle: (one: T) => Promise<void>) => {
    for await (const one of found) {
      if (work.remaining() < MARGIN_MS) return;
      await settle(one).catch((error) => work.report('not reconciled', { ...one, error }));
    }
  };
  const { across } = placesOf('');
  const now = Date.parse(work.now());
  await each(across.due(now), (message) => review(message, work, placesOf(message.account_id), did));
  await each(across.uploads(), async (upload) => {
    if (now - Date.parse(upload.at) < ORPHAN_MS) return;
    const place = placesOf(upload.account_id);
    const job = await jobOf(place, upload);
    if (job && isUnfinished(job) && job.checkpoint?.upload?.id === upload.id) return;
    await place.files.abort(upload.name, upload.id);
    did.aborted += 1;
  });
  if (did.reminded > 0) work.count('ExportsReminded', did.reminded);
  if (did.aborted > 0) work.count('UploadsAborted', did.aborted);
  work.count('ExportsOverdue', await overdue(work, placesOf, now));
  return did;
};
