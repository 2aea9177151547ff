import { beforeEach, expect, test } from '@jest/globals';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import { reconcileDue } from '#shared/platform/jobs/reconcile.ts';

const NOW = 1_000_000;

let remainingMs: number;
let failed: unknown[];
const context = {
  remaining: () => remainingMs,
  report: (_: string, details: unknown) => failed.push(details),
} as unknown as WorkerContext;
beforeEach(() => {
  remainingMs = 60_000;
  failed = [];
});

async function* rowsWith(dueTimes: Iterable<number>) {
  let id = 0;
  for (const due_at of dueTimes) yield { account_id: 'acct_1', id: ++id, due_at };
}

/** Reconciles rows with these due times, and returns how late the oldest was and the ids of the handled rows. */
const reconcile = async (dueTimes: Iterable<number>, handle: (id: number) => unknown = () => {}) => {
  const handled: number[] = [];
  const late_ms = await reconcileDue(rowsWith(dueTimes), NOW, context, async ({ id }) => {
    await handle(id);
    handled.push(id);
  });
  return { late_ms, handled };
};

test('no row is due: 0', async () => {
  expect(await reconcile([])).toEqual({ late_ms: 0, handled: [] });
});

test('rows in any order: how late the oldest was', async () => {
  expect(await reconcile([NOW - 5, NOW - 70_000, NOW])).toEqual({ late_ms: 70_000, handled: [1, 2, 3] });
});

test('a row that fails: other rows are reconciled, and no lateness is returned', async () => {
  const { late_ms, handled } = await reconcile([NOW - 5, NOW - 70_000, NOW], (id) => {
    if (id === 2) throw new Error('broken');
  });
  expect([late_ms, handled, failed]).toEqual([undefined, [1, 3], [expect.objectContaining({ id: 2 })]]);
});

test.each([
  ['all rows are read', 17],
  ['all rows of the share of an account are read', 101],
])('the time is over before %s: no lateness is returned', async (_, last) => {
  const { late_ms, handled } = await reconcile(Array(150).fill(NOW), (id) => {
    if (id === last) remainingMs = 4999;
  });
  expect([late_ms, handled.length < 150]).toEqual([undefined, true]);
});

test('more rows of an account than fit the memory: the lateness of the rows that are left to the next pass counts', async () => {
  const COUNT = 50_101;
  const { late_ms, handled } = await reconcile([...Array(COUNT - 1).fill(NOW), NOW - 70_000]);
  expect([late_ms, handled.length]).toEqual([70_000, COUNT - 1]);
});
