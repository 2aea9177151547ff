import { scheduledWorker } from '#shared/invoicing/declarations.ts';
import { USES as DISPATCH_USES, dispatchEvents } from '#shared/invoicing/webhook-deliveries/dispatch.ts';
import { USES as PUBLISH_USES, publishWaiting } from '#shared/platform/events/publish.ts';

/**
 * Appends the changes of accounts whose feed nobody reads (CONTRACT §14). It also dispatches the events that
 * `publish-changes.ts` has missed (CONTRACT §15).
 */
export default scheduledWorker({
  trigger: { minutes: 1 },
  uses: {
    ...DISPATCH_USES,
    outbox: PUBLISH_USES.outbox,
    events: [...PUBLISH_USES.events, ...DISPATCH_USES.events],
    across: ['waiting', 'accounts'],
  },
  sendsTo: ['deliveries'],
  seconds: 60,
  memory_mb: 512,
  handle: (context, accounts) =>
    publishWaiting(
      context,
      accounts,
      { published: 'EventsPublished', overdue: 'OutboxesOverdue' },
      {
        others: accounts.across.accounts(),
        onPublished: (turn, stores, account, { sequence }) => dispatchEvents(turn, stores, account, sequence),
      },
    ),
});
