import { exportJob } from '#shared/invoicing/exports/job.ts';
import { abortOrphanUploads, countOverdue, USES } from '#shared/invoicing/exports/reconcile.ts';
import { continueHeld, USES as HELD_USES } from '#shared/invoicing/webhook-deliveries/continue-held.ts';
import { JOB_USES as DELIVERY_USES, deliveryJob } from '#shared/invoicing/webhook-deliveries/job.ts';
import { remindDue } from '#shared/platform/jobs/reconcile.ts';
import { scheduledWorker } from '#shared/platform/worker.ts';

const sum = ({ reminded, failed }: Awaited<ReturnType<typeof remindDue>>): number => reminded + failed;

/** Finds jobs and uploads that no worker continues, and deliveries that need not wait any longer (CONTRACT §9, §15). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: { ...USES, ...DELIVERY_USES, ...HELD_USES, across: [...USES.across, ...HELD_USES.across] },
  sendsTo: ['exports', 'deliveries'],
  seconds: 60,
  memory_mb: 512,
  async handle(context, accounts) {
    const jobs = await remindDue(exportJob, context, accounts);
    const continued = await continueHeld(context, accounts);
    const deliveries = await remindDue(deliveryJob, context, accounts);
    context.count('DeliveriesOverdueSeconds', Math.round(deliveries.late_ms / 1000));
    const aborted = await abortOrphanUploads(context, accounts);
    await countOverdue(context, accounts);
    // The worker runs every minute, so it does not log a run without work.
    if (sum(jobs) + sum(deliveries) + aborted + continued > 0)
      context.report('reconciled', { ...jobs, aborted, deliveries, continued });
  },
});
