import type { WorkerContext } from '#shared/platform/declarations/worker.ts';

/*
 * How a scheduled worker divides the time of a run between accounts, so that no account waits for the backlog of another
 * account.
 */

export const MARGIN_MS = 5000;

/** Whether a worker may begin something else. */
export const hasTime = ({ remaining }: Pick<WorkerContext, 'remaining'>): boolean => remaining() >= MARGIN_MS;

/** The same context with less time: {@link hasTime} is false after `ms`. */
export const withLimit = <C extends Pick<WorkerContext, 'remaining'>>(context: C, ms: number): C => {
  const end = Date.now() + ms;
  return { ...context, remaining: () => Math.min(context.remaining(), MARGIN_MS + end - Date.now()) };
};

/** Begins a turn of at most `ms`. @returns whether it is over, or the process stops */
export const beginTurn = (context: Pick<WorkerContext, 'remaining' | 'stop'>, ms: number): (() => boolean) => {
  const limited = withLimit(context, ms);
  return () => !hasTime(limited) || context.stop?.aborted === true;
};

const TURN_MS = 5000;

/**
 * Gives each item a turn. While the run has time, unfinished items get another turn after all other items. When the time
 * is over, it reads no further item.
 * @param handle returns false when its time was over before its work was done
 * @returns the items that are not done
 */
export const takeTurns = async <T, C extends Pick<WorkerContext, 'remaining'>>(
  items: AsyncGenerator<T>,
  context: C,
  handle: (item: T, turn: C) => Promise<boolean>,
): Promise<T[]> => {
  const takeRound = async (round: AsyncGenerator<T>): Promise<T[]> => {
    const unfinished: T[] = [];
    await inParallel(round, async (item) => {
      if (!hasTime(context)) await items.return(undefined);
      if (!hasTime(context) || !(await handle(item, withLimit(context, TURN_MS)))) unfinished.push(item);
    });
    return unfinished;
  };
  let unfinished = await takeRound(items);
  while (unfinished.length > 0 && hasTime(context)) unfinished = await takeRound(toGenerator(unfinished));
  return unfinished;
};

async function* toGenerator<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** The number of an account's items that are handled before later items of other accounts. */
const SHARE = 100;
/** Limit of the items in memory. The next run reads the rest again. */
const MAX_LATER = 50_000;

/** The items in another order: items beyond the share of their account come last. */
export async function* inShares<T extends { readonly account_id: string }>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const counts = new Map<string, number>();
  const later: T[] = [];
  for await (const item of items) {
    const count = (counts.get(item.account_id) ?? 0) + 1;
    counts.set(item.account_id, count);
    if (count <= SHARE) yield item;
    else if (later.length < MAX_LATER) later.push(item);
  }
  yield* later;
}

const CONCURRENCY = 16;

/**
 * Handles several items at a time. It waits for the handlers that it has started, even when reading the next item
 * fails.
 */
export const inParallel = async <T>(items: AsyncGenerator<T>, handle: (item: T) => Promise<void>): Promise<void> => {
  const handleNext = async () => {
    for (let next = await items.next(); !next.done; next = await items.next()) await handle(next.value);
  };
  await waitForAll(Array.from({ length: CONCURRENCY }, handleNext));
};

/** When a handler fails, waits for the running handlers, and then throws the first failure. */
export const waitForAll = async <T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};
