import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '#shared/platform/backoff.ts';
import type { Accounts, WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { Entity } from '#shared/platform/entity.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import { extend, extended, type Last } from '#shared/platform/store/page-index/leaves.ts';
import { isActive } from '#shared/platform/store/page-index/seal-request.ts';
import { activationWrites, extensionWrites } from '#shared/platform/store/page-index/writes.ts';
import type { Range } from '#shared/platform/store/rows.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { Metric } from '#shared/vocabulary.ts';
import { withLateness } from './lateness.ts';
import { hasTime, MARGIN_MS, takeTurns } from './turns.ts';

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
/** Shorter than a round, so that a request is due again in the next round. */
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
 * Seals the collections whose lists have stored a request (CONTRACT §5). The next run continues the rest.
 * @returns whether there was a request
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

/** The stores that sealing a collection uses. */
export type IndexedStore = Pick<Store<Entity>, 'rows' | 'pageIndex'>;

/**
 * The longest time from the first read of a request to its commit: 15 seconds (LAMBDA_DEFAULTS), and the difference
 * between two clocks. So a row with an older id cannot be inserted any more, and a delete that found no index is complete.
 */
export const HORIZON_MS = 20_000;

/** Limit of restarts in one run. Sealing restarts when a row of the tail was deleted or another run was faster. */
const MAX_LOSSES = 20;

interface Result {
  readonly rows: number;
  readonly outcome: 'done' | 'lost' | 'unfinished';
}

/**
 * Seals the rows of the tail. Any number of runs may work on a collection at the same time: each transaction has the
 * condition that the index is unchanged since before the rows were read, and that no row of the tail was deleted since.
 * The first run only activates the index: a delete that found no index does not count itself, and must end before the
 * rows are read.
 * @returns the number of sealed rows, and whether all are sealed
 */
export const sealTail = async (
  store: IndexedStore,
  context: Pick<WorkerContext, 'now' | 'remaining' | 'commit'>,
): Promise<{ rows: number; isDone: boolean }> => {
  const now = Date.parse(context.now());
  const before = firstIdAt(now - HORIZON_MS);
  let sealed = 0;
  for (let losses = 0; losses < MAX_LOSSES; losses++) {
    const { group, leaves } = await store.pageIndex.find(Number.MAX_SAFE_INTEGER);
    const hasIndex = group && leaves;
    if (!hasIndex) await context.commit(() => activationWrites(store.pageIndex.partitions, now + HORIZON_MS));
    if (!hasIndex || now < (group.sealable_at ?? 0)) break;
    const { rows, outcome } = await sealFrom({ group, leaves }, before, store, context);
    sealed += rows;
    if (outcome !== 'lost') return { rows: sealed, isDone: outcome === 'done' };
    // Each restart reads at once, so restarts without a pause would take the throughput of requests.
    await backoff(losses + 1);
  }
  return { rows: sealed, isDone: false };
};

const sealFrom = async (
  start: Last,
  before: number,
  store: IndexedStore,
  context: Pick<WorkerContext, 'remaining' | 'commit'>,
): Promise<Result> => {
  let last = start;
  let rows = 0;
  for await (let ids of idsOf(store, { from: last.group.end + 1, before })) {
    if (!hasTime(context)) return { rows, outcome: 'unfinished' };
    while (ids.length > 0) {
      if (!hasTime(context)) return { rows, outcome: 'unfinished' };
      const extension = extend(last, ids);
      if (!(await context.commit(() => extensionWrites(store.pageIndex.partitions, last, extension))))
        return { rows, outcome: 'lost' };
      last = extended(last, extension);
      rows += extension.rows;
      ids = extension.rest;
    }
  }
  return { rows, outcome: 'done' };
};

/** The ids of the rows in a range, some at a time. */
async function* idsOf(
  store: IndexedStore,
  { from, before }: Pick<Range, 'from' | 'before'>,
): AsyncGenerator<readonly number[]> {
  const range = { from, before, filter: {}, attributes: ['id'] };
  for await (const { rows } of store.rows(range)) yield rows.map(({ id }) => id as number);
}
