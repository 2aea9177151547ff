import { setImmediate as nextTask } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { alternate } from '#shared/platform/dynamodb/batches.ts';
import { hasTime, inShares, takeTurns, waitForAll, withLimit } from '#shared/platform/jobs/turns.ts';

/* How a run divides its time between accounts. Four thousand rows of one account come before each other row. */

const MANY = 4000;

async function* listOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

const rowsOf = (account_id: string, count: number) => Array.from({ length: count }, (_, id) => ({ account_id, id }));

const first = async <T>(count: number, items: AsyncGenerator<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) === count) break;
  return found;
};

test('a long list and 15 short lists: an item of each is among the first 16, and no item is lost', async () => {
  const lists = Array.from({ length: 16 }, (_, i) => rowsOf(`acct_${i}`, i === 3 ? MANY : 1));
  const accounts = (await first(16, alternate(lists.map(listOf)))).map(({ account_id }) => account_id);
  expect(new Set(accounts).size).toBe(16);
  expect(await first(MANY + 16, alternate(lists.map(listOf)))).toHaveLength(MANY + 15);
});

test('an account with many rows before another account: the other account comes after a share of these rows, and no row is lost', async () => {
  const rows = [...rowsOf('acct_large', MANY), ...rowsOf('acct_small', 2)];
  const ordered = await first(rows.length, inShares(listOf(rows)));
  expect(ordered.findIndex(({ account_id }) => account_id === 'acct_small')).toBe(100);
  expect(ordered.toSorted((a, b) => a.account_id.localeCompare(b.account_id) || a.id - b.id)).toEqual(rows);
});

describe('turns', () => {
  let remainingMs: number;
  const context = { remaining: () => remainingMs };
  beforeEach(() => {
    remainingMs = 60_000;
  });

  test('17 items that need more than one turn, then a short item: each item gets a turn before any gets a second turn', async () => {
    const turns: number[] = [];
    const handle = async (item: number) => {
      turns.push(item);
      await nextTask();
      return item === 17 || turns.filter((turn) => turn === item).length === 3;
    };
    const items = Array.from({ length: 18 }, (_, i) => i);
    expect(await takeTurns(listOf(items), context, handle)).toEqual([]);
    expect(turns.slice(0, 18).toSorted((a, b) => a - b)).toEqual(items);
    expect(turns).toHaveLength(17 * 3 + 1);
  });

  test('the time of the run is over: no further item is read, and the items without a turn are returned', async () => {
    const read: number[] = [];
    async function* numbers() {
      for (let i = 0; ; i++) {
        read.push(i);
        yield i;
      }
    }
    const done: number[] = [];
    const unfinished = await takeTurns(numbers(), context, async (item) => {
      done.push(item);
      if (done.length === 20) remainingMs = 4999;
      return true;
    });
    expect([...done, ...unfinished].toSorted((a, b) => a - b)).toEqual(read);
    expect(read.length).toBeLessThan(20 + 2 * 16);
  });

  test('a limited context: its time ends with the limit, or with the time of the run', () => {
    expect([hasTime(withLimit(context, 1000)), hasTime(withLimit(context, -1))]).toEqual([true, false]);
    remainingMs = 4999;
    expect(hasTime(withLimit(context, 1000))).toBe(false);
  });
});

test('one of two handlers fails: the failure is thrown after the other handler has ended', async () => {
  let hasEnded = false;
  const works = [
    Promise.reject(new Error('broken')),
    nextTask().then(() => {
      hasEnded = true;
    }),
  ];
  await expect(waitForAll(works)).rejects.toThrow('broken');
  expect(hasEnded).toBe(true);
});
