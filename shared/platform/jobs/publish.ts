import type { Accounts, WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { FeedHead } from '#shared/platform/events/feed-head.ts';
import type { EventWriter, Outbox, Published } from '#shared/platform/events/outbox.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import type { CrossAccountQueries, WaitingAccount } from '#shared/platform/store/cross-account-queries.ts';
import type { Metric } from '#shared/vocabulary.ts';
import { hasTime, takeTurns } from './turns.ts';

export const PUBLISH_USES = { outbox: ['publish'], events: ['append'], across: ['waiting'] } as const;

/** Changes that wait longer count for an alarm (docs/runbook.md). */
const OVERDUE_MS = 60_000;

interface Metrics {
  readonly published: Metric;
  /** Counts the accounts whose overdue changes this run could not publish. */
  readonly overdue: Metric;
}

/** Runs after changes of an account have become events. */
type OnPublished<S> = (stores: S, account_id: string, done: Published) => Promise<void>;

interface PublisherStores {
  readonly outbox: Pick<Outbox, 'publish'>;
  readonly events: EventWriter;
}

/** Appends the waiting changes of all accounts to their feeds (CONTRACT §14). */
export const publishWaiting = async <S extends PublisherStores>(
  context: WorkerContext,
  { storesOf, across }: Accounts<S, Pick<CrossAccountQueries, 'waiting'>>,
  metrics: Metrics,
  onPublished: OnPublished<S>,
): Promise<void> => {
  const counts = { events: 0, accounts: 0, unfinished: 0, overdue: 0 };
  const failed: WaitingAccount[] = [];
  const heads = new Map<string, FeedHead>();
  const publishAccount = async (account: WaitingAccount, turn: WorkerContext) => {
    const { account_id } = account;
    try {
      const stores = storesOf(account_id);
      const isNeeded = () => hasTime(turn);
      const options = { isNeeded, head: heads.get(account_id) };
      const done = await stores.outbox.publish(stores.events, options);
      const { head, isCaughtUp } = done;
      if (!isCaughtUp) heads.set(account_id, head);
      counts.events += done.published;
      await onPublished(stores, account_id, done);
      if (isCaughtUp) counts.accounts += 1;
      return isCaughtUp;
    } catch (error) {
      context.report('not published', { account_id, error });
      failed.push(account);
      return true;
    }
  };
  let isScanned = false;
  const accounts = withEnd(across.waiting(), () => {
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

async function* withEnd<T>(items: AsyncGenerator<T>, onEnd: () => void): AsyncGenerator<T> {
  yield* items;
  onEnd();
}
