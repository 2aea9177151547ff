import { afterAll, expect, test } from '@jest/globals';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Filter } from '#shared/platform/store/page.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { invoice, startData, walk } from '#test/unit/platform/engine.ts';

const data = await startData();
afterAll(() => data.stop());

let accounts = 0;

/** An account’s invoices, which a test inserts, changes and removes. */
class AccountInvoices {
  readonly account = `acct_${++accounts}`;
  readonly store = data.stores(this.account).invoices;
  readonly #present = new Map<number, Invoice>();

  async insert(id: number): Promise<void> {
    if (this.#present.has(id)) return;
    const row = invoice(id, { customer_id: 7 });
    this.#present.set(id, row);
    await data.commit(...this.store.insert(row));
  }

  async remove(id: number): Promise<void> {
    if (!this.#present.delete(id)) return;
    await data.remove(this.store, id);
  }

  /** Moves the row out of the filtered list or back into it. */
  async changeStatus(id: number): Promise<void> {
    const before = this.#present.get(id);
    if (!before) return;
    const status = before.status === 'open' ? 'draft' : 'open';
    const after: Invoice = { ...before, status, version: before.version + 1 };
    this.#present.set(id, after);
    await data.commit(...this.store.replace(before, after));
  }
}

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 10, maxLength: 40 });
const change = fc.record({
  action: fc.constantFrom('insert' as const, 'remove' as const, 'changeStatus' as const, 'removeLast' as const),
  which: fc.nat(),
});
const scenario = fc.record({
  ids,
  limit: fc.integer({ min: 1, max: 4 }),
  order: fc.constantFrom('ascending' as const, 'descending' as const),
  filter: fc.constantFrom<Filter>(
    {},
    { status: 'open' },
    { customer_id: 7 },
    { customer_id: 7, status: 'open' },
    { status: ['draft', 'open'] },
    { customer_id: [7, 8], status: ['draft', 'open'] },
  ),
  changes: fc.array(fc.array(change, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
});

test.each([
  ['between two pages', true],
  ['while a page is read', false],
])(
  'inserts and deletes %s: a walk returns every row that exists throughout exactly once [CONTRACT §5]',
  async (_, between) => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ ids, limit, order, filter, changes }) => {
        const account = new AccountInvoices();
        const permanent = ids.filter((_, i) => i % 2 === 0);
        const changing = ids.filter((_, i) => i % 2 === 1);
        // Both statuses are in the list, so that a member that moves between them stays in it.
        const moving = Array.isArray(filter['status']) ? permanent.filter((_, i) => i % 2 === 0) : [];
        await Promise.all([...permanent, ...changing.filter((_, i) => i % 2 === 0)].map((id) => account.insert(id)));

        const apply = async (batch: (typeof changes)[number], last: number | undefined) => {
          // Each moves at most once while a page is read: the page is in neither place of a member that moves three times.
          const movers = new Set(batch.flatMap(({ which }) => moving[which % moving.length] ?? []));
          for (const id of movers) await account.changeStatus(id);
          for (const { action, which } of batch) {
            // `removeLast` deletes the row that the cursor points at, if it is one of the changing rows.
            const id =
              action === 'removeLast' && last !== undefined ? last : (changing[which % changing.length] as number);
            if (!changing.includes(id)) continue;
            await account[action === 'removeLast' ? 'remove' : action](id);
          }
        };

        let round = 0;
        let racing: Promise<unknown> = Promise.resolve();
        const pages = await walk(
          (request) => account.store.list(request),
          { filter, order, limit },
          async (page) => {
            await racing;
            racing = apply(changes[round++ % changes.length] ?? [], page.at(-1));
            if (between) await racing;
          },
        );
        await racing;

        const walked = pages.flat();
        const sorted = walked.toSorted((a, b) => (order === 'ascending' ? a - b : b - a));
        expect(walked).toEqual(sorted);
        expect(new Set(walked).size).toBe(walked.length);
        expect(walked.filter((id) => permanent.includes(id)).sort()).toEqual(permanent.toSorted());
        expect(walked.filter((id) => !ids.includes(id))).toEqual([]);
        for (const page of pages.slice(0, -1)) expect(page.length).toBeGreaterThan(0);
      }),
      { numRuns: extent({ full: 12, part: 3 }) },
    );
  },
);
