import { reconcileEach } from '#shared/platform/jobs/reconcile.ts';
import type { Product } from '#shared/platform/product.ts';
import type { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import type { Accounts, WorkerContext } from '#shared/platform/worker.ts';
import { recountFrom, recountRandomGroup } from './recount.ts';
import { type IndexedStore, sealTail } from './seal.ts';

interface Metrics {
  readonly sealed: Product['metric'];
  /** Groups whose counts were wrong. */
  readonly wrong: Product['metric'];
  /** How long the oldest request has waited, in seconds. */
  readonly overdue: Product['metric'];
}

interface Request {
  readonly collection: string;
  readonly due_at: number;
}

interface Counts {
  rows: number;
  collections: number;
  wrong: number;
}

/** Seals the collections whose lists have asked for it (CONTRACT §5). The next run continues the rest. */
export const sealRequested = async (
  context: WorkerContext,
  { storesOf, across }: Accounts<Readonly<Partial<Record<string, IndexedStore>>>, Pick<CrossAccountQueries, 'due'>>,
  metrics: Metrics,
): Promise<void> => {
  const counts: Counts = { rows: 0, collections: 0, wrong: 0 };
  const requests = withLateness(across.due<Request>('pages', Date.parse(context.now())), context, metrics.overdue);
  await reconcileEach(requests, context, async ({ collection }) => {
    const [account = '', table = ''] = collection.split('#');
    const store = storesOf(account)[table];
    if (!store) throw new Error('The worker does not use the table of a request.');
    await sealCollection(store, context, counts);
  });
  // The worker runs every minute, so it does not log a run without work.
  if (counts.collections === 0) return;
  context.count(metrics.sealed, counts.rows);
  if (counts.wrong > 0) context.count(metrics.wrong, counts.wrong);
  context.report('sealed', counts);
};

/** Reports how late the oldest request is; reports nothing when the time is over before all requests are read. */
async function* withLateness(
  requests: AsyncGenerator<Request>,
  { now, count }: WorkerContext,
  metric: Product['metric'],
): AsyncGenerator<Request> {
  const at = Date.parse(now());
  let late_ms = 0;
  for await (const request of requests) {
    late_ms = Math.max(late_ms, at - request.due_at);
    yield request;
  }
  count(metric, Math.round(late_ms / 1000));
}

/** Each run also counts the rows of one group again. If the group was wrong, it counts the rows of all groups. */
const sealCollection = async (store: IndexedStore, context: WorkerContext, counts: Counts): Promise<void> => {
  const request = await store.pageIndex.findRequest();
  if (!request) return;
  const { rows, isDone } = await sealTail(store, context);
  counts.collections += 1;
  counts.rows += rows;
  if (!isDone) return;
  let from = request.recount_from;
  if (from === undefined && (await recountRandomGroup(store, context))) {
    counts.wrong += 1;
    from = 0;
  }
  if (from !== undefined) {
    const { wrong, next } = await recountFrom(from, store, context);
    counts.wrong += wrong;
    if (next !== undefined) return store.pageIndex.request({ recount_from: next });
  }
  await context.commit(() => store.pageIndex.completion(request));
};
