import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Customer, patchCustomer } from '#shared/invoicing/customers/rules.ts';
import { INVOICE_STATUSES, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Entity } from '#shared/platform/entity.ts';
import type { CursorRequest, Filter, OffsetRequest } from '#shared/platform/store/page.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import {
  customer,
  type Data,
  idsOf,
  invoice,
  type List,
  staleItem,
  startData,
  walk,
} from '#test/unit/platform/engine.ts';

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

const CURSOR = { order: 'ascending', filter: {} } as const satisfies Pick<CursorRequest, 'order' | 'filter'>;

const matchesFilter = (row: object, filter: Filter): boolean =>
  Object.entries(filter).every(([name, value]) => row[name as keyof typeof row] === value);

/** The ids of a list in the order of CONTRACT §5, from a look at every row. */
const naive = (rows: readonly Entity[], filter: Filter, order: CursorRequest['order']): number[] => {
  const ids = rows.filter((row) => matchesFilter(row, filter)).map(({ id }) => id);
  return ids.sort((a, b) => (order === 'ascending' ? a - b : b - a));
};

const CUSTOMERS = [1, 11, Number.MAX_SAFE_INTEGER];
const FILTERS: Filter[] = [
  {},
  ...INVOICE_STATUSES.map((status) => ({ status })),
  ...[...CUSTOMERS, 2].map((customer_id) => ({ customer_id })),
  ...INVOICE_STATUSES.flatMap((status) => [...CUSTOMERS, 2].map((customer_id) => ({ customer_id, status }))),
];
const ORDERS = ['ascending', 'descending'] as const;

/** Invoices with every combination of status and customer; the account and one other account get them. */
const invoices: Invoice[] = Array.from({ length: 31 }, (_, i) =>
  invoice(1 + i * 7, {
    status: INVOICE_STATUSES[i % 4] as Invoice['status'],
    customer_id: [null, ...CUSTOMERS][(i >> 2) % 4] as number | null,
  }),
);

/** The account of the tests that only read. */
let account: string;
beforeAll(async () => {
  account = freshAccount();
  for (const owner of [account, `${account}_`]) {
    const store = data.stores(owner).invoices;
    await Promise.all(invoices.map((row) => data.commit(...store.insert(row))));
  }
});

test('every combination of filters, in both orders: the rows that a look at every row finds [CONTRACT §4, §5]', async () => {
  for (const filter of FILTERS) {
    for (const order of ORDERS) {
      const pages = await walk(listInvoices(account), { filter, order, limit: 5 });
      expect([filter, pages.flat()]).toEqual([filter, naive(invoices, filter, order)]);
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(5);
    }
  }
});

test('any limit: has_more is true exactly when more rows follow [§4]', async () => {
  for (const filter of [{}, { status: 'open' }, { customer_id: 11 }] as Filter[]) {
    const all = naive(invoices, filter, 'ascending');
    for (const limit of [1, all.length - 1, all.length, all.length + 1, 100]) {
      const page = await listInvoices(account)({ ...CURSOR, style: 'cursor', filter, limit, after: undefined });
      expect([limit, idsOf(page), 'has_more' in page && page.has_more]).toEqual([
        limit,
        all.slice(0, limit),
        limit < all.length,
      ]);
    }
  }
});

test('any page in offset style: a slice of the whole list, empty past the end, with the exact total_count [CONTRACT §5]', async () => {
  const filters = [
    {},
    { status: 'open' },
    { customer_id: 11 },
    { customer_id: 1, status: 'draft' },
    { customer_id: 2 },
  ];
  for (const filter of filters as Filter[]) {
    for (const order of ORDERS) {
      const all = naive(invoices, filter, order);
      for (const per_page of [1, 4, 31, 100]) {
        const last = Math.ceil(all.length / per_page);
        for (const number of new Set([1, 2, last, last + 1, Number.MAX_SAFE_INTEGER])) {
          if (number < 1) continue;
          const request: OffsetRequest = { style: 'offset', page: number, per_page, filter, order };
          const page = await listInvoices(account)(request);
          const from = (number - 1) * per_page;
          expect({ request, ids: idsOf(page), page: { ...page, rows: [] } }).toEqual({
            request,
            ids: all.slice(from, from + per_page),
            page: { rows: [], total_count: all.length },
          });
        }
      }
    }
  }
});

test('an empty collection: an empty page in both styles [CONTRACT §5]', async () => {
  const list = listInvoices(freshAccount());
  const none = { rows: [], has_more: false };
  for (const filter of [{}, { status: 'open' }] as Filter[]) {
    for (const after of [undefined, 7]) {
      expect(await list({ ...CURSOR, filter, style: 'cursor', limit: 20, after })).toEqual(none);
    }
    for (const page of [1, 9]) {
      const answer = await list({ ...CURSOR, filter, style: 'offset', page, per_page: 20 });
      expect(answer).toEqual({ rows: [], total_count: 0 });
    }
  }
});

test('a list with attributes: rows with only these attributes, the attributes of the filter, id and version [§4]', async () => {
  const request = { ...CURSOR, style: 'cursor', limit: 10, after: undefined, attributes: ['total_cents'] } as const;
  const attributes = ['id', 'total_cents', 'version'];
  const { invoices } = data.stores(account);
  const plain = await invoices.list(request);
  const filtered = await invoices.list({ ...request, filter: { status: 'open' } });
  for (const row of plain.rows) expect(Object.keys(row).sort()).toEqual(attributes);
  for (const row of filtered.rows) expect(Object.keys(row).sort()).toEqual([...attributes, 'status'].sort());
  expect([plain.rows.length, filtered.rows.length]).toEqual([10, 8]);
});

const LONG = 'x'.repeat(998);
const EMAILS = [
  ...['', '#', '##', 'a', 'a#b', 'A', 'a#', '#a', 'null', 'undefined', '12', 'ann@example.com', 'ä@example.com', '😀'],
  ...[`${LONG}ya`, `${LONG}yb`, `a${LONG}y`, '😀'.repeat(1000), '#'.repeat(1000)],
  ...['x'.repeat(99), 'x'.repeat(100), 'x'.repeat(101), 'sha256:', 'constructor', 'toString'],
];

test('a filter by email, also one with # or 1,000 characters: the customers with this email [CONTRACT §4]', async () => {
  const account = freshAccount();
  const rows: Customer[] = [null, ...EMAILS, ...EMAILS].map((email, i) => customer(i + 1, { email }));
  for (const owner of [account, 'a']) {
    await Promise.all(rows.map((row) => data.commit(...data.stores(owner).customers.insert(row))));
  }
  const list: List = (request) => data.stores(account).customers.list(request);
  for (const email of [...EMAILS, 'b', `${LONG}yc`, 'x'.repeat(102)]) {
    for (const order of ORDERS) {
      const pages = await walk(list, { filter: { email }, order, limit: 1 });
      expect([email, pages.flat()]).toEqual([email, naive(rows, { email }, order)]);
    }
  }
});

type Step = { readonly row: number; readonly email: string | null; readonly remove: boolean };
const step: fc.Arbitrary<Step> = fc.record({
  row: fc.integer({ min: 1, max: 6 }),
  email: fc.constantFrom(null, '', 'a', 'b', 'x'.repeat(1000)),
  remove: fc.boolean(),
});

test('any inserts, changes and removals: a filtered list shows their result [CONTRACT §4]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const account = freshAccount();
      const { customers } = data.stores(account);
      const rows = new Map<number, Customer>();
      for (const { row, email, remove } of steps) {
        const before = rows.get(row);
        const after = before ? patchCustomer(before, { email }, '2026-11-21T09:30:00.000Z') : customer(row, { email });
        if (!before) await data.commit(...customers.insert(after));
        else if (remove) await data.remove(customers, row);
        else await data.commit(...customers.replace(before, after));
        if (before && remove) rows.delete(row);
        else rows.set(row, after);
      }
      for (const email of ['', 'a', 'b', 'x'.repeat(1000), 'null']) {
        const pages = await walk((request) => customers.list(request), { ...CURSOR, filter: { email }, limit: 2 });
        expect(pages.flat()).toEqual(naive([...rows.values()], { email }, 'ascending'));
      }
      expect(await customers.find([1, 2, 3, 4, 5, 6])).toEqual(
        new Map([...rows].map(([id, row]) => [id, expect.objectContaining(row)])),
      );
    }),
    { numRuns: extent({ full: 15, part: 4 }) },
  );
});

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
