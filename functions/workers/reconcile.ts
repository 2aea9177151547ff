import { exportJob } from '#shared/invoicing/exports/job.ts';
import { abortOrphanUploads, countOverdue, USES } from '#shared/invoicing/exports/reconcile.ts';
import { remindDue } from '#shared/platform/jobs/reconcile.ts';
import { scheduledWorker } from '#shared/platform/worker.ts';

/** Finds jobs and uploads that no worker continues (CONTRACT §9). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: USES,
  sendsTo: 'exports',
  seconds: 60,
  memory_mb: 512,
  async handle(context, accounts) {
    const jobs = await remindDue(exportJob, context, accounts);
    const aborted = await abortOrphanUploads(context, accounts);
    await countOverdue(context, accounts);
    // Runs every minute: a run without work is not logged.
    if (jobs.reminded + jobs.failed + aborted > 0) context.report('reconciled', { ...jobs, aborted });
  },
});
