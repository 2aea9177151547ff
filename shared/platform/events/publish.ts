import type { WaitingAccount } from '#shared/platform/data/cross-account-queries.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { MARGIN_MS } from '#shared/platform/jobs/reconcile.ts';
import type { Product } from '#shared/platform/product.ts';
import type { AccountsOf, WorkerContext } from '#shared/platform/worker.ts';

export const USES = { outbox: ['publish'], events: ['insert'], across: ['waiting'] } as const;

/** Changes that wait longer count for an alarm (docs/runbook.md). */
const OVERDUE_MS = 60_000;
const CONCURRENCY = 16;

interface Metrics {
  readonly published: Product['metric'];
  /** The accounts whose changes have waited too long, and that this run could not publish. */
  readonly overdue: Product['metric'];
}

/** Appends the waiting changes of all accounts to their feeds (CONTRACT §14). */
export const publishWaiting = async (
  context: WorkerContext,
  { storesOf, across }: AccountsOf<typeof USES>,
  metrics: Metrics,
): Promise<void> => {
  const counts = { events: 0, accounts: 0, overdue: 0 };
  const publishAccount = async ({ account_id, oldest }: WaitingAccount) => {
    try {
      if (context.remaining() < MARGIN_MS) throw new Error('The time of this run is over.');
      const stores = storesOf(account_id);
      const { published } = await stores.outbox.publish(stores.events);
      counts.events += published;
      counts.accounts += 1;
    } catch (error) {
      context.report('not published', { account_id, error });
      if (oldest < firstIdAt(Date.parse(context.now()) - OVERDUE_MS)) counts.overdue += 1;
    }
  };
  const waiting = across.waiting();
  const publishNext = async () => {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) await publishAccount(next.value);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, publishNext));
  context.count(metrics.overdue, counts.overdue);
  // Runs every minute: a run without work is not logged.
  if (counts.events === 0) return;
  context.count(metrics.published, counts.events);
  context.report('published', counts);
};
