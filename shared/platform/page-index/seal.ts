import type { Entity } from '#shared/platform/entity.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { hasTime } from '#shared/platform/jobs/turns.ts';
import type { Range } from '#shared/platform/store/rows.ts';
import type { Store } from '#shared/platform/store/store.ts';
import type { WorkerContext } from '#shared/platform/worker.ts';
import { extend, extended, type Last } from './leaves.ts';
import { activationWrites, extensionWrites } from './writes.ts';

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
 * The first run only activates the index: a delete that found none does not count itself, and must end before the rows
 * are read.
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
    const isActive = group && leaves;
    if (!isActive) await context.commit(() => activationWrites(store.pageIndex.partitions, now + HORIZON_MS));
    if (!isActive || now < (group.sealable_at ?? 0)) break;
    const { rows, outcome } = await sealFrom({ group, leaves }, before, store, context);
    sealed += rows;
    if (outcome !== 'lost') return { rows: sealed, isDone: outcome === 'done' };
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
