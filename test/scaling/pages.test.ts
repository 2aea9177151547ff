import { afterAll, beforeAll, expect } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import { createId } from '#shared/platform/id.ts';
import { GROUP_LEAVES, LEAF_ROWS } from '#shared/platform/store/page-index/leaves.ts';
import { deepTest as test } from '#test/support/extent/deep-test.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { putRows } from '#test/support/state/put-rows.ts';
import { countSequentialTrips } from '#test/support/state/round-trips.ts';
import { invoice } from '#test/unit/platform/engine.ts';
import { countUnits, type Usage } from './units.ts';

/*
 * A page index of a million invoices, of which only some groups have rows: pages there must not cost more than
 * CONTRACT §5 permits.
 */

const GROUP_ROWS = GROUP_LEAVES * LEAF_ROWS;
const GROUPS = Math.ceil(1e6 / GROUP_ROWS);
/** The groups with rows. */
const STORED = [0, Math.floor(GROUPS / 2), GROUPS - 1];
const TAIL = LEAF_ROWS;
const TOTAL = GROUPS * GROUP_ROWS + TAIL;
const START = Date.parse('2025-01-01T00:00:00Z');
/** The longest account (CONTRACT §2). */
const account_id = 'a'.repeat(64);

/** The invoice with a number from 0 on, one a second. */
const idAt = (n: number): number => createId(new Date(START + n * 1000).toISOString(), n % 4096);

let service: LocalService;
let takeUsage: () => Usage;

const rangeOf = (group: number) => ({ first: group * GROUP_ROWS, last: (group + 1) * GROUP_ROWS - 1 });

const groupRow = (_: unknown, group: number) => ({
  collection: `${account_id}#invoices`,
  id: group === 0 ? 0 : idAt(rangeOf(group).first - 1) + 1,
  end: idAt(rangeOf(group).last),
  rows: GROUP_ROWS,
  deletes: 0,
  ...(group < GROUPS - 1 && { closed: 1 }),
});

const leafRow = (group: number) => {
  const { id, end } = groupRow(undefined, group);
  const { first } = rangeOf(group);
  const starts = Array.from({ length: GROUP_LEAVES }, (_, leaf) =>
    leaf === 0 ? Math.max(1, id) : idAt(first + leaf * LEAF_ROWS - 1) + 1,
  );
  const leaves = Object.fromEntries(starts.map((start) => [start, LEAF_ROWS]));
  return { collection: `${account_id}#invoices#leaves`, id, end, ...leaves };
};

/** With its index entries, an invoice has about 330 bytes (docs/scaling.md). */
const invoiceRow = (n: number) => {
  const row = invoice(idAt(n), { customer_id: 373_827_422_502_375 });
  return { account_id, ...row, ...indexKeys(tables.invoices, 'acct_1', row) };
};

beforeAll(async () => {
  service = await startService();
  takeUsage = countUnits(service.client);
  const write = (table: string, rows: readonly object[]) => putRows(service.client, table, rows);
  await write('pages', Array.from({ length: GROUPS }, groupRow));
  await write('pages', STORED.map(leafRow));
  const numbers = STORED.flatMap((group) => Array.from({ length: GROUP_ROWS }, (_, i) => group * GROUP_ROWS + i));
  const tail = Array.from({ length: TAIL }, (_, i) => GROUPS * GROUP_ROWS + i);
  await write('invoices', [...numbers, ...tail].map(invoiceRow));
});
afterAll(() => service.stop());

/** Reads a page of 100, and compares it with the numbers of its invoices. */
const readPage = async (page: number, parameters: string, numbers: readonly number[], total: number) => {
  takeUsage();
  const target = `/v1/invoices?page=${page}&per_page=100${parameters}`;
  let json: { data: { id: number }[]; total_count: number } | undefined;
  const trips = await countSequentialTrips(service.client, async () => {
    ({ json } = await service.send(target, { as: { account: account_id } }));
  });
  expect(json?.data.map(({ id }) => id)).toEqual(numbers.map(idAt));
  expect(json?.total_count).toBe(total);
  return { trips, units: takeUsage().reads };
};

const hundred = (first: number, step: 1 | -1): number[] => Array.from({ length: 100 }, (_, i) => first + i * step);
const [, MIDDLE = 0, LAST = 0] = STORED.map((group) => group * GROUP_ROWS);
/** Pages that begin anywhere in a leaf, in the first, the middle and the last group. */
const PAGES = [0, 4, 19, ...[3, 10, 20].map((i) => Math.ceil(MIDDLE / 100) + i), Math.ceil(LAST / 100) + 7];

test.each(PAGES)(
  'offset %d00 of a million rows, ascending: 3 sequential round trips, 40 units [CONTRACT §5]',
  async (hundreds) => {
    const { trips, units } = await readPage(hundreds + 1, '', hundred(hundreds * 100, 1), TOTAL);
    expect([trips, units]).toEqual([3, expect.any(Number)]);
    expect(units).toBeLessThanOrEqual(40);
  },
);

test.each(PAGES)(
  'the page after offset %d00, descending: 3 sequential round trips, 40 units [CONTRACT §5]',
  async (hundreds) => {
    const offset = Math.floor((TOTAL - hundreds * 100 - 101) / 100) * 100;
    const { trips, units } = await readPage(offset / 100 + 1, '&sort=-id', hundred(TOTAL - 1 - offset, -1), TOTAL);
    expect(trips).toBeLessThanOrEqual(3);
    expect(units).toBeLessThanOrEqual(40);
  },
);

test('bounds in the first and the last group: 3 sequential round trips, 50 units', async () => {
  const [from, before] = [30, LAST + 1000];
  const time = (n: number) => new Date(START + n * 1000).toISOString();
  const bounds = `&created_from=${time(from)}&created_before=${time(before)}`;
  const first = Math.ceil((MIDDLE - from) / 100) * 100;
  const { trips, units } = await readPage(first / 100 + 1, bounds, hundred(from + first, 1), before - from);
  expect(trips).toBe(3);
  expect(units).toBeLessThanOrEqual(50);
});

test('a page past the end: the exact total in 2 sequential round trips [CONTRACT §5]', async () => {
  const { trips } = await readPage(20_000, '', [], TOTAL);
  expect(trips).toBe(2);
});
