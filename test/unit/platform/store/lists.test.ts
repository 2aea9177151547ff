import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { type Data, invoice, type List, staleItem, startData, walk } from '#test/unit/platform/engine.ts';

let data: Data;
beforeAll(async () => {
  data = await startData();
});
afterAll(() => data.stop());

let accounts = 0;
const freshAccount = (): string => `acct_${++accounts}`;

const listInvoices =
  (account: string): List =>
  (request) =>
    data.stores(account).invoices.list(request);

const ORDERS = ['ascending', 'descending'] as const;

/** Puts rows in the index of open invoices. The rows that are not fresh are already paid. */
const putLaggingRows = async (pattern: readonly boolean[]): Promise<{ account: string; fresh: number[] }> => {
  const account = freshAccount();
  await Promise.all(
    pattern.map((isFresh, i) => {
      const row = invoice(i + 1, { status: isFresh ? 'open' : 'paid', customer_id: 7 });
      return data.put('invoices', account, staleItem(account, row, { status: 'open' }));
    }),
  );
  return { account, fresh: pattern.flatMap((isFresh, i) => (isFresh ? [i + 1] : [])) };
};

const page = fc.record({ limit: fc.integer({ min: 1, max: 5 }), order: fc.constantFrom(...ORDERS) });

test('stale index keys: a short index page is filled up before the response [CONTRACT §5]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 25 }), page, async (pattern, { limit, order }) => {
      const { account, fresh } = await putLaggingRows(pattern);
      const expected = order === 'ascending' ? fresh : fresh.toReversed();
      for (const filter of [{ status: 'open' }, { status: 'open', customer_id: 7 }]) {
        const pages = await walk(listInvoices(account), { filter, order, limit });
        expect(pages.flat()).toEqual(expected);
        for (const one of pages.slice(0, -1)) expect(one).toHaveLength(limit);
      }
    }),
    { numRuns: extent({ full: 25, part: 6 }) },
  );
});
