import { scheduledWorker } from '#shared/invoicing/declarations.ts';
import { WAKE_USES, wakeAfterTurn } from '#shared/invoicing/webhook-deliveries/wake.ts';
import { PUBLISH_USES, publishWaiting } from '#shared/platform/jobs/publish.ts';

/** Appends the changes of accounts whose feed nobody reads (CONTRACT §14), and wakes their webhook endpoints (CONTRACT §15). */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: { ...PUBLISH_USES, ...WAKE_USES, outbox: [...PUBLISH_USES.outbox, ...WAKE_USES.outbox] },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  handle: (context, accounts) =>
    publishWaiting(
      context,
      accounts,
      { published: 'EventsPublished', overdue: 'OutboxesOverdue' },
      (stores, account, done) => wakeAfterTurn(context, stores, account, done),
    ),
});
