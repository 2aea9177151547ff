import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { firstIdAt } from '#shared/platform/id.ts';
import { extent, isDeep, stride } from '#test/support/extent/extent.ts';
import { chances, SEED } from '#test/support/extent/seed.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { FAULTS, type Fault, injectFaults } from '#test/support/faults/faults.ts';
import { interrupt } from '#test/support/faults/interleave.ts';
import { below, type Chance } from '#test/support/requests/random-requests.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { checkPageIndex, createSealer, putFullGroup, putOldCustomers } from '#test/support/state/pages.ts';

/*
 * Pages by number are compared with a look at every row, while rows are inserted, deleted and sealed (CONTRACT §5).
 * `RUNS` sets the number of histories, `SEED` repeats the random choices.
 * `RUNS=20 npm test -- test/resilience/pages/oracle --selectProjects deep` is the full extent, which also has every fault at every call.
 */

const RUNS = extent({ full: 2, part: 1 });
/** Every fault at every call takes minutes. */
const IS_FULL = RUNS > 2;

/** A time at which every row that was inserted before is committed. */
const LATER_MS = 61_000;
const PHASES = isDeep ? 4 : 1;
const PAGES = isDeep ? 25 : 5;
const STRIDE = stride(36);

let account_id: string;
let make: Makers;

const service = await startService();
const interruptAt = interrupt(service.client);
const faults = injectFaults(service.client);
const sealer = createSealer(service);
await retryWithoutDelay(service.client);
afterAll(() => service.stop());
beforeEach(() => {
  stopClock();
  useNewAccount();
});
afterEach(() => {
  faults.plan();
  jest.useRealTimers();
});

const useNewAccount = (): void => {
  account_id = newAccount();
  make = makers(service, { account: account_id });
};

const pass = (milliseconds: number) => jest.setSystemTime(Date.now() + milliseconds);

const insert = async (): Promise<number> => (await make.untilDecided('POST', '/v1/customers', { name: 'x' })).json.id;
const remove = async (id: number): Promise<void> => {
  expect([204, 404]).toContain((await make.untilDecided('DELETE', `/v1/customers/${id}`)).status);
};
const sealAll = async (): Promise<void> => {
  await sealer.index(account_id, 'customers').request();
  await sealer.run();
};
const put = (count: number) => putOldCustomers(service, account_id, count);
const storedIds = async (): Promise<number[]> =>
  (await rowsOf(service, 'customers', account_id)).map(({ id }) => id as number).sort((a, b) => a - b);

interface Selection {
  readonly order: 'id' | '-id';
  readonly per_page: number;
  /** Bounds, in milliseconds. */
  readonly from?: number;
  readonly before?: number;
}

const queryOf = ({ order, per_page, from, before }: Selection): string => {
  const time = (name: string, at: number | undefined) =>
    at === undefined ? '' : `&${name}=${new Date(at).toISOString()}`;
  return `sort=${order}&per_page=${per_page}${time('created_from', from)}${time('created_before', before)}`;
};

/** The ids that a look at every row selects. */
const selected = (ids: readonly number[], { order, from = 0, before }: Selection): number[] => {
  const found = ids.filter((id) => id >= firstIdAt(from) && (before === undefined || id < firstIdAt(before)));
  return order === 'id' ? found : found.toReversed();
};

const checkPage = async (ids: readonly number[], selection: Selection, page: number): Promise<void> => {
  const { status, json } = await make.send('GET', `/v1/customers?page=${page}&${queryOf(selection)}&fields=id`);
  const all = selected(ids, selection);
  const skipped = (page - 1) * selection.per_page;
  const data = all.slice(skipped, skipped + selection.per_page).map((id) => ({ id }));
  expect({ status, selection, page, json }).toEqual({
    status: 200,
    selection,
    page,
    json: { data, page, per_page: selection.per_page, total_count: all.length },
  });
};

const randomSelection = (chance: Chance, ids: readonly number[]): Selection => {
  const time = () =>
    Math.floor((ids[below(chance, ids.length)] ?? 0) / 4096) + 1_704_067_200_000 + below(chance, 3) - 1;
  return {
    order: chance() < 1 / 2 ? 'id' : '-id',
    per_page: [1, 7, 20, 100][below(chance, 4)] as number,
    ...(chance() < 1 / 3 && ids.length > 0 && { from: time() }),
    ...(chance() < 1 / 3 && ids.length > 0 && { before: time() }),
  };
};

/** Random pages, the last page, and the page after it. */
const checkPages = async (chance: Chance, count = 12): Promise<void> => {
  const ids = await storedIds();
  for (let i = 0; i < count; i++) {
    const selection = randomSelection(chance, ids);
    const last = Math.max(1, Math.ceil(selected(ids, selection).length / selection.per_page));
    await checkPage(ids, selection, [1, last, last + 1, 1 + below(chance, last)][below(chance, 4)] as number);
  }
};

describe('pages by number at rest [CONTRACT §5]', () => {
  test.each(isDeep ? [0, 1, 48, 49, 2304, 2305, 5000] : [49])(
    '%d rows: every page is right, before and after sealing',
    async (count) => {
      const chance = chances(SEED + count);
      await put(count);
      await checkPages(chance, 4);
      await sealAll();
      expect(await checkPageIndex(service, account_id, 'customers')).toBe(count);
      await checkPages(chance, PAGES);
    },
  );

  test('rows that were sealed in parts: the last leaf is filled, and pages are right', async () => {
    const chance = chances(SEED);
    for (const count of [30, 30, 1, 100]) {
      pass(3_600_000);
      await put(count);
      await sealAll();
    }
    expect(await checkPageIndex(service, account_id, 'customers')).toBe(161);
    const { groups } = await sealer.index(account_id, 'customers').readGroups();
    const [leaves] = await sealer.index(account_id, 'customers').readLeaves(0, 0);
    expect(groups.map(({ rows }) => rows)).toEqual([161]);
    expect(leaves?.leaves.map(({ rows }) => rows)).toEqual([48, 48, 48, 17]);
    await checkPages(chance);
  });

  test('rows below created_from are gone without a delete: the other pages and their totals are right', async () => {
    const ids = await put(300);
    await sealAll();
    const gone = ids.slice(0, 130);
    const { client, environment } = service;
    const { DeleteCommand } = await import('@aws-sdk/lib-dynamodb');
    const TableName = environment['CUSTOMERS_TABLE'];
    for (const id of gone) await client.send(new DeleteCommand({ TableName, Key: { account_id, id } }));
    const from = Math.floor((ids[130] as number) / 4096) + 1_704_067_200_000;
    for (const order of ['id', '-id'] as const)
      for (const page of [1, 2, 5, 9]) await checkPage(ids, { order, per_page: 20, from }, page);
  });
});

describe('inserts, deletes, seals and pages at the same time [CONTRACT §5]', () => {
  interface Changes {
    inserted: number;
    deleted: number;
  }

  const write = async (chance: Chance, own: number[], changes: Changes): Promise<void> => {
    for (let i = 0; i < 8; i++) {
      if (chance() < 1 / 2) {
        changes.inserted += 1;
        own.push(await insert());
      } else if (own.length > 0) {
        changes.deleted += 1;
        await remove(own.splice(below(chance, own.length), 1)[0] as number);
      }
    }
  };

  /**
   * Reads pages while other requests write: the total differs from the previous total by at most the number of changes.
   */
  const read = async (chance: Chance, before: readonly number[], changes: Changes): Promise<void> => {
    for (let i = 0; i < 6; i++) {
      const { order, per_page } = randomSelection(chance, before);
      const page = 1 + below(chance, Math.ceil(before.length / per_page) + 1);
      const { status, json } = await make.send(
        'GET',
        `/v1/customers?page=${page}&${queryOf({ order, per_page })}&fields=id`,
      );
      if (status >= 500) continue;
      expect(status).toBe(200);
      expect(json.total_count).toBeGreaterThanOrEqual(before.length - changes.deleted);
      expect(json.total_count).toBeLessThanOrEqual(before.length + changes.inserted);
      expect(json.data.length).toBeLessThanOrEqual(per_page);
    }
  };

  /** A walk by cursor has every row that exists throughout, once. */
  const walk = async (): Promise<number[]> => {
    const walked: number[] = [];
    for (let after = ''; ; ) {
      const { json } = await make.untilDecided('GET', `/v1/customers?limit=100&fields=id${after}`);
      walked.push(...json.data.map(({ id }: { id: number }) => id));
      if (!json.has_more) break;
      after = `&after=${json.next_cursor}`;
    }
    return walked;
  };

  const history = async (chance: Chance, count: number, isFaulty: boolean): Promise<void> => {
    const ids = await put(count);
    for (let phase = 0; phase < PHASES; phase++) {
      pass(LATER_MS);
      const before = await storedIds();
      const changes: Changes = { inserted: 0, deleted: 0 };
      const parts = [0, 1, 2].map((part) => ids.filter((_, i) => i % 3 === part));
      if (isFaulty) {
        faults.plan(({ command }) => (chance() < 0.05 ? pick(chance, /^(Query|Get)/.test(command)) : undefined));
      }
      const seals = async () => {
        for (let i = 0; i < 3; i++) await sealAll().catch(() => {});
      };
      const [walked] = await Promise.all([
        walk(),
        ...parts.map((part) => write(chance, part, changes)),
        read(chance, before, changes),
        seals(),
        seals(),
      ]);
      faults.plan();
      const left = await storedIds();
      expect(walked).toHaveLength(new Set(walked).size);
      expect(before.filter((id) => left.includes(id) && !walked.includes(id))).toEqual([]);
      await checkPageIndex(service, account_id, 'customers');
      await checkPages(chance);
      ids.splice(0, ids.length, ...left);
    }
    pass(LATER_MS);
    await sealAll();
    const left = await storedIds();
    expect(await checkPageIndex(service, account_id, 'customers')).toBe(left.length);
    await checkPages(chance);
  };

  const pick = (chance: Chance, isRead: boolean) => {
    const possible = FAULTS.filter((fault) => fault !== 'conflict' || !isRead);
    return possible[below(chance, possible.length)];
  };

  test.each(IS_FULL ? [0, 40, 2290] : [isDeep ? 2290 : 40])(
    '%d rows at first: totals are exact at rest and bounded during writes, and walks are unchanged',
    async (count) => {
      for (let run = 0; run < RUNS; run++) {
        useNewAccount();
        await history(chances(SEED + run), count, false);
      }
    },
  );

  test.each(IS_FULL ? [40, 2290] : [40])(
    '%d rows at first, with faults in 5 %% of the AWS calls: the same totals and walks',
    async (count) => {
      for (let run = 0; run < RUNS; run++) {
        useNewAccount();
        await history(chances(SEED + run), count, true);
      }
    },
  );
});

describe('one event at each AWS call [CONTRACT §5]', () => {
  const SEALED = 95;
  const ROWS = SEALED + 60;

  /** Sealed rows, in a group with room or in a full group, and a tail. */
  const prepare = async (isFull: boolean): Promise<{ sealed: number[]; tail: number[] }> => {
    useNewAccount();
    const sealed = await put(SEALED);
    if (isFull) await putFullGroup(service, account_id, 'customers', sealed);
    else await sealAll();
    pass(3_600_000);
    return { sealed, tail: await put(ROWS - SEALED) };
  };
  const check = async (rows: number): Promise<void> => {
    faults.plan();
    await checkPageIndex(service, account_id, 'customers');
    expect((await make.send('GET', '/v1/customers?page=3')).json.total_count).toBe(rows);
    await sealAll();
    expect(await checkPageIndex(service, account_id, 'customers')).toBe(rows);
  };
  /** Runs an act, which returns the number of its AWS calls, with a fault at each call in turn. */
  const atEachCall = async (kind: Fault, before: () => Promise<void>, act: () => Promise<number>): Promise<void> => {
    for (let number = 1, calls = 1; number <= calls; number += STRIDE) {
      await before();
      let isInjected = false;
      faults.plan((attempt) => {
        if (attempt.number !== number || (kind === 'conflict' && /^(Query|Get)/.test(attempt.command)))
          return undefined;
        isInjected = true;
        return kind;
      });
      // A crash ends the act, so the next call is known only after the next number.
      calls = Math.max(calls, await act(), isInjected ? number + STRIDE : 0);
    }
  };

  describe.each(IS_FULL ? [false, true] : [true])('the last group is full: %s', (isFull) => {
    test.each(IS_FULL ? FAULTS : (['lost-response', 'crash-after'] as const))(
      '%s while the worker seals: the next run completes it',
      async (kind) => {
        const before = async () => {
          await prepare(isFull);
          await sealer.index(account_id, 'customers').request();
        };
        await atEachCall(kind, before, async () => {
          await sealer.run().catch(() => {});
          const calls = faults.attempts.length;
          await check(ROWS);
          return calls;
        });
      },
    );

    test.each(['sealed', 'tail'] as const)(
      'a fault while a row is deleted, %s: the index counts the delete once',
      async (part) => {
        for (const kind of IS_FULL ? FAULTS : (['lost-response', 'crash-after'] as const)) {
          let id: number | undefined;
          const before = async () => {
            [id] = (await prepare(isFull))[part];
          };
          await atEachCall(kind, before, async () => {
            await make.send('DELETE', `/v1/customers/${id}`);
            const calls = faults.attempts.length;
            faults.plan();
            await remove(id as number);
            await check(ROWS - 1);
            return calls;
          });
        }
      },
    );

    test.each([
      ['sealed', 'seal'],
      ['sealed', 'delete'],
      ['tail', 'seal'],
      ['tail', 'delete'],
    ] as const)(
      'a delete, %s, and before each of its AWS calls a %s: the index counts both',
      async (part, competing) => {
        for (let number = 1, isInterrupted = true; isInterrupted; number += STRIDE) {
          const [id, other] = (await prepare(isFull))[part];
          const compete = () => (competing === 'seal' ? sealAll() : remove(other as number));
          ({ isInterrupted } = await interruptAt(number, compete, () => remove(id as number)));
          await check(competing === 'delete' && isInterrupted ? ROWS - 2 : ROWS - 1);
        }
      },
    );

    test.each(['sealed', 'tail', 'seal'] as const)(
      'a seal, and before each of its AWS calls a delete or another seal, %s: the index counts both',
      async (part) => {
        for (let number = 1, isInterrupted = true; isInterrupted; number += STRIDE) {
          const rows = await prepare(isFull);
          await sealer.index(account_id, 'customers').request();
          const compete = () => (part === 'seal' ? sealAll() : remove(rows[part].at(-1) as number));
          ({ isInterrupted } = await interruptAt(number, compete, () => sealer.run()));
          await check(part !== 'seal' && isInterrupted ? ROWS - 1 : ROWS);
        }
      },
    );

    test.each(['id', '-id'] as const)(
      'a seal before each AWS call of a page, sort=%s: the page is right',
      async (order) => {
        for (const page of IS_FULL ? [1, 5, 8] : [5]) {
          for (let number = 1, isInterrupted = true; isInterrupted; number += STRIDE) {
            const { sealed, tail } = await prepare(isFull);
            const read = () => checkPage([...sealed, ...tail], { order, per_page: 20 }, page);
            ({ isInterrupted } = await interruptAt(number, sealAll, read));
          }
        }
      },
    );
  });
});
