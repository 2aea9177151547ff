import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { CursorRequest, Sorting } from '#shared/platform/store/page.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { type Data, invoice, type List, staleItem, startData, walk } from '#test/unit/platform/engine.ts';

let data: Data;
beforeAll(async () => {
  data = await startData();
});
afterAll(() => data.stop());

let accounts = 0;
const freshAccount = (): string => `acct_due_${++accounts}`;
const listOf =
  (account: string): List =>
  (request) =>
    data.stores(account).invoices.list(request);

const DATES = ['1900-01-01', '2026-01-31', '2026-02-01', '2026-11-21', '9999-12-31'];
const STATUSES = ['open', 'paid'] as const;
const IDS = [1, 2, 9, 10, 99, 123_456_789, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER];

const status = fc.constantFrom(...STATUSES);
const date = fc.constantFrom(...DATES);
const due_date = fc.option(date);
const bound = fc.option(date, { nil: undefined, freq: 1 });
const order = fc.constantFrom<CursorRequest['order']>('ascending', 'descending');
const query = fc.record({ status, order, from: bound, before: bound, limit: fc.integer({ min: 1, max: 4 }) });
type Query = typeof query extends fc.Arbitrary<infer Q> ? Q : never;

const requestOf = ({ status, order, from, before, limit }: Query) => {
  const sort: Sorting = { by: 'due_date', from, before, after: undefined };
  return { filter: { status }, order, limit, sort };
};

/** The ids of a list by due date, from a look at every row (CONTRACT §4). */
const naive = (rows: Iterable<Invoice>, { status, order, from, before }: Query): number[] => {
  const due = [...rows].flatMap((row) =>
    row.due_date !== null && row.status === status ? [{ ...row, due: row.due_date }] : [],
  );
  const selected = due.filter(({ due }) => (from ?? due) <= due && (before === undefined || due < before));
  const ids = selected.sort((a, b) => (a.due < b.due ? -1 : a.due > b.due ? 1 : a.id - b.id)).map(({ id }) => id);
  return order === 'ascending' ? ids : ids.reverse();
};

const step = fc.record({ id: fc.constantFrom(...IDS), status, due_date, remove: fc.boolean() });

test('any inserts, changes and removals: each list by due date equals a scan of every row [CONTRACT §4]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.array(query, { minLength: 4, maxLength: 4 }),
      async (steps, queries) => {
        const account = freshAccount();
        const { invoices } = data.stores(account);
        const rows = new Map<number, Invoice>();
        for (const { id, remove, ...changes } of steps) {
          const before = rows.get(id);
          const after = before ? { ...before, ...changes, version: before.version + 1 } : invoice(id, changes);
          if (!before) await data.commit(...invoices.insert(after));
          else if (remove) await data.remove(invoices, id);
          else await data.commit(...invoices.replace(before, after));
          if (before && remove) rows.delete(id);
          else rows.set(id, after);
        }
        for (const each of queries) {
          const expected = naive(rows.values(), each);
          const pages = await walk(listOf(account), requestOf(each));
          expect([each, pages.flat()]).toEqual([each, expected]);
          for (const page of pages.slice(0, -1)) expect(page).toHaveLength(each.limit);
        }
      },
    ),
    { numRuns: extent({ full: 60, part: 6 }) },
  );
});

const lag = fc.record({ due_date, isFresh: fc.boolean(), other: status });

test('stale index keys of other dates or statuses: no row at a former place, and full pages [CONTRACT §5]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(lag, { maxLength: 20 }), query, async (lags, each) => {
      const account = freshAccount();
      const rows = lags.map(({ due_date }, i) => invoice(i + 1, { status: each.status, due_date }));
      await Promise.all(
        rows.map((row, i) => {
          const { isFresh = true, other = row.status } = lags[i] ?? {};
          const indexed = isFresh ? row : { status: other, due_date: '2026-05-05' };
          return data.put('invoices', account, staleItem(account, row, indexed));
        }),
      );
      const pages = await walk(listOf(account), requestOf(each));
      // The index does not have a row at its new place yet.
      expect(pages.flat()).toEqual(
        naive(
          rows.filter((_, i) => lags[i]?.isFresh),
          each,
        ),
      );
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(each.limit);
    }),
    { numRuns: extent({ full: 60, part: 8 }) },
  );
});

test('while rows are inserted, moved, paid and deleted: every row that stays is listed exactly once, in order [CONTRACT §5]', async () => {
  const change = fc.record({ id: fc.integer({ min: 1, max: 12 }), due_date: date, status, remove: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 8 }), query, async (rounds, each) => {
      const account = freshAccount();
      const { invoices } = data.stores(account);
      // Rows with odd ids stay; rows with even ids change between two pages.
      const initial = Array.from({ length: 12 }, (_, i) =>
        invoice(i + 1, { status: each.status, due_date: DATES[(i * 7) % 5] as string }),
      );
      for (const row of initial) await data.commit(...invoices.insert(row));
      const rows = new Map(initial.map((row) => [row.id, row]));
      const act = async () => {
        for (const { id, remove, ...changes } of rounds.shift() ?? []) {
          const before = rows.get(id);
          if (id % 2 === 1) continue;
          const after = before ? { ...before, ...changes, version: before.version + 1 } : invoice(id, changes);
          if (!before) await data.commit(...invoices.insert(after));
          else if (remove) await data.remove(invoices, id);
          else await data.commit(...invoices.replace(before, after));
          if (before && remove) rows.delete(id);
          else rows.set(id, after);
        }
      };
      const stays = naive(initial, each).filter((id) => id % 2 === 1);
      const pages = await walk(listOf(account), requestOf(each), act);
      expect(pages.flat().filter((id) => id % 2 === 1)).toEqual(stays);
    }),
    { numRuns: extent({ full: 60, part: 6 }) },
  );
});
