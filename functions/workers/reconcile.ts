import { scheduledWorker } from '#shared/invoicing/declarations.ts';
import { exportJob } from '#shared/invoicing/exports/job.ts';
import { abortOrphanUploads, countOverdue, USES } from '#shared/invoicing/exports/reconcile.ts';
import { continueHeld, USES as HELD_USES } from '#shared/invoicing/webhook-deliveries/continue-held.ts';
import { JOB_USES as DELIVERY_USES, deliveryJob } from '#shared/invoicing/webhook-deliveries/job.ts';
import { remindDue } from '#shared/platform/jobs/reconcile.ts';
import { waitForAll } from '#shared/platform/jobs/turns.ts';

const sum = ({ reminded, failed }: Awaited<ReturnType<typeof remindDue>>): number => reminded + failed;

/** Finds jobs and uploads that no worker continues, and deliveries that need not wait any longer (CONTRACT §9, §15). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: { ...USES, ...DELIVERY_USES, ...HELD_USES, across: [...USES.across, ...HELD_USES.across] },
  sendsTo: ['exports', 'deliveries'],
  seconds: 60,
  memory_mb: 512,
  async handle(context, accounts) {
    // At the same time, so that none of them uses the time of the others.
    const [jobs, continued, deliveries, aborted] = await waitForAll([
      remindDue(exportJob, context, accounts),
      continueHeld(context, accounts),
      remindDue(deliveryJob, context, accounts),
      abortOrphanUploads(context, accounts),
      countOverdue(context, accounts),
    ]);
    const { late_ms } = deliveries;
    if (late_ms !== undefined) context.count('DeliveriesOverdueSeconds', Math.round(late_ms / 1000));
    // The worker runs every minute, so it does not log a run without work.
    if (sum(jobs) + sum(deliveries) + aborted + continued > 0)
      context.report('reconciled', { ...jobs, aborted, deliveries, continued });
  },
});
