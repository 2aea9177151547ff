import { afterAll, expect, test } from '@jest/globals';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { CursorRequest, Filter, Sorting } from '#shared/platform/store/page.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { invoice, staleItem, startData, walk } from '#test/unit/platform/engine.ts';

const data = await startData();
afterAll(() => data.stop());

interface Change extends Partial<Pick<Invoice, 'status' | 'due_date'>> {
  readonly id: number;
  readonly remove?: boolean;
}

let accounts = 0;

/** An account’s invoices, which a test inserts, changes and removes. */
class AccountInvoices {
  readonly account = `acct_${++accounts}`;
  readonly store = data.stores(this.account).invoices;
  readonly rows = new Map<number, Invoice>();

  /** Inserts the row if it is absent. */
  async apply({ id, remove = false, ...changes }: Change): Promise<void> {
    const before = this.rows.get(id);
    const after: Invoice = before
      ? { ...before, ...changes, version: before.version + 1 }
      : invoice(id, { customer_id: 7, ...changes });
    if (before && remove) this.rows.delete(id);
    else this.rows.set(id, after);
    if (!before) return data.commit(...this.store.insert(after));
    return remove ? data.remove(this.store, id) : data.commit(...this.store.replace(before, after));
  }

  walk(request: Parameters<typeof walk>[1], between?: Parameters<typeof walk>[2]) {
    return walk((one) => this.store.list(one), request, between);
  }
}

const DATES = ['1900-01-01', '2026-01-31', '2026-02-01', '2026-11-21', '9999-12-31'];
const IDS = [1, 2, 9, 10, 99, 123_456_789, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER];

const status = fc.constantFrom('open', 'paid');
const date = fc.constantFrom(...DATES);
const due_date = fc.option(date);
const bound = fc.option(date, { nil: undefined, freq: 1 });
const order = fc.constantFrom<CursorRequest['order']>('ascending', 'descending');
const limit = fc.integer({ min: 1, max: 4 });
const query = fc.record({ status, order, from: bound, before: bound, limit });
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

const expectFull = (pages: readonly number[][], limit: number) => {
  for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
};

const step = fc.record({ id: fc.constantFrom(...IDS), status, due_date, remove: fc.boolean() });

test('any inserts, changes and removals: each list by due date equals a scan of every row [CONTRACT §4]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.array(query, { minLength: 4, maxLength: 4 }),
      async (steps, queries) => {
        const invoices = new AccountInvoices();
        for (const one of steps) await invoices.apply(one);
        for (const each of queries) {
          const pages = await invoices.walk(requestOf(each));
          expect([each, pages.flat()]).toEqual([each, naive(invoices.rows.values(), each)]);
          expectFull(pages, each.limit);
        }
      },
    ),
    { numRuns: extent({ full: 60, part: 6 }) },
  );
});

const place = fc.record({ status, due_date });
const lag = fc.record({ now: place, indexed: fc.option(place) });

test('stale index keys of other statuses or dates: no row at a former place, and full pages [CONTRACT §5]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(lag, { maxLength: 25 }), query, async (lags, each) => {
      const invoices = new AccountInvoices();
      const { account } = invoices;
      const rows = lags.map(({ now, indexed }, i) => ({
        row: invoice(i + 1, { ...now, customer_id: 7 }),
        indexed: indexed ?? now,
      }));
      await Promise.all(
        rows.map(({ row, indexed }) => data.put('invoices', account, staleItem(account, row, indexed))),
      );
      const { order, limit, status } = each;
      const found = rows.filter(({ row, indexed }) => row.status === status && indexed.status === status);
      const ids = found.map(({ row }) => row.id);
      for (const filter of [{ status }, { status, customer_id: 7 }]) {
        const pages = await invoices.walk({ filter, order, limit });
        expect(pages.flat()).toEqual(order === 'ascending' ? ids : ids.toReversed());
        expectFull(pages, limit);
      }
      const pages = await invoices.walk(requestOf(each));
      const inPlace = found.filter(({ row, indexed }) => row.due_date === indexed.due_date);
      expect(pages.flat()).toEqual(
        naive(
          inPlace.map(({ row }) => row),
          each,
        ),
      );
      expectFull(pages, limit);
    }),
    { numRuns: extent({ full: 60, part: 8 }) },
  );
});

const change = fc.record({
  action: fc.constantFrom('insert' as const, 'remove' as const, 'move' as const, 'removeLast' as const),
  which: fc.nat(),
  due_date: date,
});
const scenario = fc.record({
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 10, maxLength: 40 }),
  limit,
  order,
  filter: fc.constantFrom<Filter>(
    {},
    { status: 'open' },
    { customer_id: 7 },
    { customer_id: 7, status: 'open' },
    { status: ['draft', 'open'] },
    { customer_id: [7, 8], status: ['draft', 'open'] },
  ),
  isByDate: fc.boolean(),
  changes: fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
});

test.each([
  ['between two pages', true],
  ['while a page is read', false],
])(
  'inserts, changes and deletes %s: a walk returns every row that exists throughout exactly once, in order [CONTRACT §5]',
  async (_, between) => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ ids, changes, isByDate, ...request }) => {
        const query: Query = { ...request, status: 'open', from: undefined, before: undefined };
        const { filter, order, sort } = isByDate ? requestOf(query) : { ...request, sort: undefined };
        const invoices = new AccountInvoices();
        const create = (id: number) => invoices.apply({ id, due_date: DATES[(id * 7) % 5] as string });
        const permanent = ids.filter((_, i) => i % 2 === 0);
        const changing = ids.filter((_, i) => i % 2 === 1);
        // Both statuses are in the list, so that a member that moves between them stays in it.
        const moving = Array.isArray(filter['status']) ? permanent.filter((_, i) => i % 2 === 0) : [];
        await Promise.all([...permanent, ...changing.filter((_, i) => i % 2 === 0)].map(create));
        const move = async (id: number, due_date?: string) => {
          const status = invoices.rows.get(id)?.status === 'open' ? 'draft' : 'open';
          if (invoices.rows.has(id)) await invoices.apply({ id, status, ...(due_date && { due_date }) });
        };

        const apply = async (batch: (typeof changes)[number], last: number | undefined) => {
          // Each moves at most once while a page is read: the page is in neither place of a member that moves three times.
          const movers = new Set(batch.flatMap(({ which }) => moving[which % moving.length] ?? []));
          for (const id of movers) await move(id);
          for (const { action, which, due_date } of batch) {
            // `removeLast` deletes the row that the cursor points at, if it is one of the changing rows.
            const isLast = action === 'removeLast' && last !== undefined;
            const id = isLast ? last : (changing[which % changing.length] as number);
            if (!changing.includes(id)) continue;
            if (action === 'move') await move(id, due_date);
            else if (invoices.rows.has(id) !== (action === 'insert'))
              await (action === 'insert' ? create(id) : invoices.apply({ id, remove: true }));
          }
        };

        let round = 0;
        let racing: Promise<unknown> = Promise.resolve();
        const pages = await invoices.walk({ ...request, filter, sort }, async (page) => {
          await racing;
          racing = apply(changes[round++ % changes.length] ?? [], page.at(-1));
          if (between) await racing;
        });
        await racing;

        const walked = pages.flat();
        const stay = walked.filter((id) => permanent.includes(id));
        const inOrder = (all: readonly number[]) => all.toSorted((a, b) => (order === 'ascending' ? a - b : b - a));
        if (sort) {
          const rows = permanent.map((id) => invoices.rows.get(id) as Invoice);
          expect(stay).toEqual(naive(rows, query));
          return;
        }
        expect(walked).toEqual(inOrder(walked));
        expect(new Set(walked).size).toBe(walked.length);
        expect(stay).toEqual(inOrder(permanent));
        expect(walked.filter((id) => !ids.includes(id))).toEqual([]);
        for (const page of pages.slice(0, -1)) expect(page.length).toBeGreaterThan(0);
      }),
      { numRuns: extent({ full: 24, part: 6 }) },
    );
  },
);
