import { setTimeout as sleep } from 'node:timers/promises';
import { withLateness } from '#shared/platform/jobs/reconcile.ts';
import { hasTime, MARGIN_MS, takeTurns } from '#shared/platform/jobs/turns.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { Accounts, WorkerContext } from '#shared/platform/worker.ts';
import type { Metric } from '#shared/vocabulary.ts';
import { type IndexedStore, sealTail } from './seal.ts';
import { isActive } from './seal-request.ts';

interface Metrics {
  readonly sealed: Metric;
  /** How long the oldest request has waited, in seconds. */
  readonly overdue: Metric;
}

interface Request {
  readonly collection: string;
  readonly due_at: number;
}

interface Counts {
  rows: number;
  collections: number;
}

/** With the horizon of sealing and the pause between two runs, rows are sealed when they are at most 40 s old. */
export const ROUND_MS = 10_000;
/** Shorter than a round, so that a request is due again at the next one. */
const REPEAT_MS = 5000;
export type IndexedAccounts = Accounts<
  Readonly<Partial<Record<string, IndexedStore>>>,
  Pick<CrossAccountQueries, 'due'>
>;

/** Seals in rounds, until the time is over, the process stops, or no collection is left to seal. */
export const sealInRounds = async (
  context: WorkerContext,
  accounts: IndexedAccounts,
  metrics: Metrics,
): Promise<void> => {
  let isBusy = await sealRequested(context, accounts, metrics);
  while (isBusy && context.remaining() > ROUND_MS + MARGIN_MS) {
    const isStopped = await sleep(ROUND_MS, false, { signal: context.stop }).catch(() => true);
    if (isStopped) return;
    isBusy = await sealRequested(context, accounts, metrics);
  }
};

/**
 * Seals the collections whose lists have asked for it (CONTRACT §5). The next run continues the rest.
 * @returns whether there were any
 */
export const sealRequested = async (
  context: WorkerContext,
  { storesOf, across }: IndexedAccounts,
  metrics: Metrics,
): Promise<boolean> => {
  const counts: Counts = { rows: 0, collections: 0 };
  const now = Date.parse(context.now());
  const requests = withLateness(across.due<Request>('pages', now), now, (late_ms) =>
    context.count(metrics.overdue, Math.round(late_ms / 1000)),
  );
  await takeTurns(requests, context, async (request, turn) => {
    const [account = '', table = ''] = request.collection.split('#');
    try {
      const store = storesOf(account)[table];
      if (!store) throw new Error('The worker does not use the table of a request.');
      await sealCollection(store, turn, counts);
      return hasTime(turn);
    } catch (error) {
      context.report('not sealed', { ...request, error });
      return true;
    }
  });
  // Most rounds have no work: they are not logged.
  if (counts.rows > 0) {
    context.count(metrics.sealed, counts.rows);
    context.report('sealed', counts);
  }
  return counts.collections > 0;
};

const sealCollection = async (store: IndexedStore, context: WorkerContext, counts: Counts): Promise<void> => {
  const request = await store.pageIndex.findRequest();
  if (!request) return;
  const { rows, isDone } = await sealTail(store, context);
  counts.collections += 1;
  counts.rows += rows;
  if (!isDone) return;
  const now = Date.parse(context.now());
  await context.commit(() => store.pageIndex.completion(request, isActive(request, now) ? now + REPEAT_MS : undefined));
};
