import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { DueRow } from '#shared/platform/store/cross-account-queries.ts';
import { withLateness } from './lateness.ts';
import { hasTime, inParallel, inShares } from './turns.ts';

/**
 * Reconciles rows that are due.
 * @returns how late the oldest row was, in milliseconds; undefined after an incomplete pass
 */
export const reconcileDue = async <T extends DueRow>(
  rows: AsyncGenerator<T>,
  now: number,
  context: WorkerContext,
  reconcile: (row: T) => Promise<void>,
): Promise<number | undefined> => {
  let late_ms: number | undefined;
  // Before `inShares`, which leaves some of very many rows to the next pass.
  const measured = withLateness(rows, now, (ms) => {
    late_ms = ms;
  });
  return (await reconcileEach(inShares(measured), context, reconcile)) ? late_ms : undefined;
};

/**
 * Reports an item that fails and continues with other items; the next run finds the failed item again.
 * @returns whether the time was enough for all items, and no item has failed
 */
export const reconcileEach = async <T extends object>(
  items: AsyncGenerator<T>,
  context: WorkerContext,
  reconcile: (item: T) => Promise<void>,
): Promise<boolean> => {
  let isComplete = true;
  await inParallel(items, async (item) => {
    if (hasTime(context)) {
      return reconcile(item).catch((error) => {
        isComplete = false;
        context.report('not reconciled', { ...item, error });
      });
    }
    isComplete = false;
    await items.return(undefined);
  });
  return isComplete;
};
