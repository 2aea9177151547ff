import { scheduledWorker } from '#shared/invoicing/declarations.ts';
import { abortUploads, countOverdue, EXPORT_RECONCILER_USES, remindDue } from '#shared/invoicing/exports/reconcile.ts';
import { DUE_USES, wakeDue } from '#shared/invoicing/webhook-deliveries/wake.ts';
import { waitForAll } from '#shared/platform/jobs/turns.ts';

/** Finds jobs and uploads that no worker continues, and webhook endpoints that are due (CONTRACT §9, §15). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: { ...EXPORT_RECONCILER_USES, ...DUE_USES, across: EXPORT_RECONCILER_USES.across },
  sendsTo: ['exports', 'deliveries'],
  seconds: 60,
  memory_mb: 512,
  async handle(context, accounts) {
    // The tasks run at the same time, so that no task uses up the time of another task.
    const [{ isComplete, ...jobs }, webhooks, aborted, overdue] = await waitForAll([
      remindDue(context, accounts),
      wakeDue(context, accounts),
      abortUploads(context, accounts),
      countOverdue(context, accounts),
    ]);
    // Jobs that this run has not reached may be overdue, too.
    if (isComplete && overdue !== undefined) context.count('ExportsOverdue', overdue);
    // The worker runs every minute, so it does not log a run without work.
    if (jobs.reminded + jobs.failed + webhooks + aborted > 0)
      context.report('reconciled', { ...jobs, webhooks, aborted });
  },
});
