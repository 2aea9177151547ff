import { publishWaiting, USES } from '#shared/platform/events/publish.ts';
import { scheduledWorker } from '#shared/platform/worker.ts';

/** Appends the changes of accounts whose feed nobody reads (CONTRACT §14). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: USES,
  seconds: 60,
  memory_mb: 512,
  handle: (context, accounts) =>
    publishWaiting(context, accounts, { published: 'EventsPublished', overdue: 'OutboxesOverdue' }),
});
