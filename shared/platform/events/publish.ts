import { firstIdAt } from '#shared/platform/id.ts';
import { inParallel, MARGIN_MS } from '#shared/platform/jobs/reconcile.ts';
import type { Product } from '#shared/platform/product.ts';
import type { CrossAccountQueries, WaitingAccount } from '#shared/platform/store/cross-account-queries.ts';
import type { Accounts, StoresOf, WorkerContext } from '#shared/platform/worker.ts';
import type { FeedHead } from './feed-head.ts';

export const USES = { outbox: ['publish'], events: ['append'], across: ['waiting'] } as const;

/** Changes that wait longer count for an alarm (docs/runbook.md). */
const OVERDUE_MS = 60_000;

interface Metrics {
  readonly published: Product['metric'];
  /** Counts the accounts whose overdue changes this run could not publish. */
  readonly overdue: Product['metric'];
}

/** Runs after the changes of an account have become events. */
type OnPublished<S> = (stores: S, account_id: string, head: FeedHead) => Promise<void>;

type Stores = StoresOf<typeof USES>;

/**
 * Appends the waiting changes of all accounts to their feeds (CONTRACT §14).
 * @param others accounts that are published even without waiting changes
 */
export const publishWaiting = async <S extends Stores>(
  context: WorkerContext,
  { storesOf, across }: Accounts<S, Pick<CrossAccountQueries, 'waiting'>>,
  metrics: Metrics,
  { others, onPublished }: { readonly others: AsyncGenerator<string>; readonly onPublished: OnPublished<S> },
): Promise<void> => {
  const counts = { events: 0, accounts: 0, overdue: 0 };
  const publishAccount = async ({ account_id, oldest }: WaitingAccount) => {
    try {
      if (context.remaining() < MARGIN_MS) throw new Error('The time of this run is over.');
      const stores = storesOf(account_id);
      const { head, published } = await stores.outbox.publish(stores.events);
      counts.events += published;
      counts.accounts += 1;
      await onPublished(stores, account_id, head);
    } catch (error) {
      context.report('not published', { account_id, error });
      if (oldest < firstIdAt(Date.parse(context.now()) - OVERDUE_MS)) counts.overdue += 1;
    }
  };
  await inParallel(waitingAndOthers(across.waiting(), others), publishAccount);
  context.count(metrics.overdue, counts.overdue);
  // The worker runs every minute, so it does not log a run without work.
  if (counts.events === 0) return;
  context.count(metrics.published, counts.events);
  context.report('published', counts);
};

async function* waitingAndOthers(
  waiting: AsyncGenerator<WaitingAccount>,
  others: AsyncGenerator<string>,
): AsyncGenerator<WaitingAccount> {
  const known = new Set<string>();
  for await (const account of waiting) {
    known.add(account.account_id);
    yield account;
  }
  for await (const account_id of others) {
    if (!known.has(account_id)) yield { account_id, oldest: Number.POSITIVE_INFINITY };
  }
}
