import { firstIdAt } from '#shared/platform/id.ts';
import { takeTurns } from '#shared/platform/jobs/turns.ts';
import type { CrossAccountQueries, WaitingAccount } from '#shared/platform/store/cross-account-queries.ts';
import type { Accounts, WorkerContext } from '#shared/platform/worker.ts';
import type { Metric } from '#shared/vocabulary.ts';
import type { FeedHead } from './feed-head.ts';
import type { Outbox } from './outbox.ts';

export const USES = { outbox: ['publish'], events: ['append'], across: ['waiting'] } as const;

/** Changes that wait longer count for an alarm (docs/runbook.md). */
const OVERDUE_MS = 60_000;

/** Half of an account's turn. In the other half, its events are dispatched. */
const PUBLISH_MS = 2500;

interface Metrics {
  readonly published: Metric;
  /** Counts the accounts whose overdue changes this run could not publish. */
  readonly overdue: Metric;
}

/** Runs after changes of an account have become events. Returns false when its time was over before its work was done. */
type OnPublished<S> = (turn: WorkerContext, stores: S, account_id: string, head: FeedHead) => Promise<boolean>;

interface Stores {
  readonly outbox: Pick<Outbox, 'publish'>;
  readonly events: Parameters<Outbox['publish']>[0];
}

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
  const counts = { events: 0, accounts: 0, unfinished: 0, overdue: 0 };
  const failed: WaitingAccount[] = [];
  const publishAccount = async (account: WaitingAccount, turn: WorkerContext) => {
    const { account_id } = account;
    try {
      const stores = storesOf(account_id);
      const { head, published, isCaughtUp } = await stores.outbox.publish(stores.events, { ms: PUBLISH_MS });
      counts.events += published;
      const isDone = (await onPublished(turn, stores, account_id, head)) && isCaughtUp;
      if (isDone) counts.accounts += 1;
      return isDone;
    } catch (error) {
      context.report('not published', { account_id, error });
      failed.push(account);
      return true;
    }
  };
  let isScanned = false;
  const accounts = waitingAndOthers(across.waiting(), others, () => {
    isScanned = true;
  });
  const unfinished = await takeTurns(accounts, context, publishAccount);
  counts.unfinished = unfinished.length;
  const limit = firstIdAt(Date.parse(context.now()) - OVERDUE_MS);
  counts.overdue = [...failed, ...unfinished].filter(({ oldest }) => oldest < limit).length;
  if (isScanned || counts.overdue > 0) context.count(metrics.overdue, counts.overdue);
  // The worker runs every minute, so it does not log a run without work.
  if (counts.events > 0) context.count(metrics.published, counts.events);
  else if (counts.unfinished === 0) return;
  context.report('published', counts);
};

async function* waitingAndOthers(
  waiting: AsyncGenerator<WaitingAccount>,
  others: AsyncGenerator<string>,
  onScanned: () => void,
): AsyncGenerator<WaitingAccount> {
  const known = new Set<string>();
  for await (const account of waiting) {
    known.add(account.account_id);
    yield account;
  }
  onScanned();
  for await (const account_id of others) {
    if (!known.has(account_id)) yield { account_id, oldest: Number.POSITIVE_INFINITY };
  }
}
