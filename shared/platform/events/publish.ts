import { reconcileEach } from '#shared/platform/jobs/reconcile.ts';
import type { StoresOf, WorkerContext } from '#shared/platform/worker.ts';

export const USES = { outbox: ['publish'], events: ['insert'], across: ['waiting'] } as const;

/** Appends the waiting changes of all accounts to their feeds. */
export const publishWaiting = async (
  context: WorkerContext,
  storesOf: (account: string) => StoresOf<typeof USES>,
): Promise<void> => {
  let events = 0;
  let accounts = 0;
  await reconcileEach(storesOf('').across.waiting(), context, async ({ account_id }) => {
    const stores = storesOf(account_id);
    const { published } = await stores.outbox.publish(stores.events);
    events += published;
    accounts += 1;
  });
  // Runs every minute: a run without work is not logged.
  if (events > 0) context.report('published', { events, accounts });
};
