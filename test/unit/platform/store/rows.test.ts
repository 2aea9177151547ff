import { afterAll, expect, test } from '@jest/globals';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { putRows } from '#test/support/state/put-rows.ts';
import { startData } from '#test/unit/platform/engine.ts';

const data = await startData();
afterAll(() => data.stop());

const PAGE_BYTES = 2 ** 20;
/** More bytes than the largest random row. A page with less space may have no room for another row. */
const ROW_BYTES = 100_000;
const MAX_ID = Number.MAX_SAFE_INTEGER;
const STATUSES = ['open', 'paid'] as const;

interface Row {
  readonly id: number;
  readonly status: (typeof STATUSES)[number];
  readonly bytes: number;
}

let accounts = 0;

/** Stores rows of these sizes and returns their account. */
const storeRows = async (rows: readonly Row[]): Promise<string> => {
  const account_id = `rows_${accounts++}`;
  const invoices = rows.map(({ id, status, bytes }) => ({ account_id, id, status, pad: 'x'.repeat(bytes) }));
  await putRows(data.client, 'invoices', invoices);
  return account_id;
};

interface Range {
  readonly from: number;
  readonly before: number;
  readonly filter: { status?: Row['status'] };
}

/** Reads a range and returns the number of round trips. Expects `after` never to skip a row. */
const read = async (account: string, range: Range, expected: readonly number[]) => {
  const calls = () => data.calls.get('QueryCommand') ?? 0;
  const before = calls();
  const ids: number[] = [];
  let last = range.from - 1;
  for await (const { rows, after } of data.stores(account).invoices.rows({ ...range, attributes: ['id', 'status'] })) {
    ids.push(...rows.map((row) => row['id'] as number));
    expect(after).toBeGreaterThan(last);
    expect(after).toBeLessThan(range.before);
    expect(ids).toEqual(expected.filter((id) => id <= after));
    last = after;
  }
  expect(ids).toEqual(expected);
  if (range.from < range.before) expect(last).toBe(range.before - 1);
  return calls() - before;
};

const within = (rows: readonly Row[], { from, before, filter }: Range): Row[] =>
  rows.filter(
    ({ id, status }) => id >= from && id < before && (filter.status === undefined || status === filter.status),
  );

/** Consecutive rows of one size, with a random gap between their ids. */
const segment = fc.record({
  gaps: fc
    .constantFrom(1, 7, 4096, 2 ** 24, 2 ** 40)
    .chain((most) => fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 120, size: 'max' })),
  bytes: fc.constantFrom(100, 30_000, 90_000),
  pause: fc.constantFrom(0, 2 ** 20, 2 ** 44),
});

type Segments = readonly { readonly gaps: number[]; readonly bytes: number; readonly pause: number }[];

const rowsOf = (segments: Segments): Row[] => {
  let id = 0;
  return segments.flatMap(({ gaps, bytes, pause }) => {
    id += pause;
    return gaps.map((gap, i) => {
      id += gap;
      return { id, bytes, status: STATUSES[i % 3 === 0 ? 1 : 0] as Row['status'] };
    });
  });
};

/** The largest number of round trips for a range: full pages, and perhaps an empty page. */
const maxTrips = (rows: readonly Row[]): number =>
  Math.ceil(rows.reduce((sum, { bytes }) => sum + bytes + 100, 0) / (PAGE_BYTES - ROW_BYTES)) + 1;

test('rows of any density: each once, in id order, in as many round trips as pages [CONTRACT §9]', async () => {
  const some = fc.integer({ min: 0, max: 1000 });
  const range = fc.record({ from: some, to: some, status: fc.constantFrom(undefined, ...STATUSES) });
  const cases = fc.record({
    segments: fc.array(segment, { maxLength: 4 }),
    ranges: fc.array(range, { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ segments, ranges }) => {
      const rows = rowsOf(segments);
      const account = await storeRows(rows);
      const idAt = (thousandth: number) => rows[Math.floor((thousandth / 1000) * (rows.length - 1))]?.id ?? thousandth;
      const chosen = ranges.map(({ from, to, status }) => ({
        from: idAt(from),
        before: idAt(to),
        filter: status ? { status } : {},
      }));
      for (const range of [{ from: 0, before: MAX_ID, filter: {} }, ...chosen]) {
        const expected = within(rows, range).map(({ id }) => id);
        const trips = await read(account, range, expected);
        expect(trips).toBeLessThanOrEqual(maxTrips(within(rows, { ...range, filter: {} })));
      }
    }),
    { numRuns: extent({ full: 12, part: 4 }) },
  );
});

test('several pages: one query at a time, sent while the caller uses the previous page [CONTRACT §9]', async () => {
  const rows = Array.from({ length: 170 }, (_, i) => ({ id: i + 1, status: 'open', bytes: 30_000 }) as const);
  const account = await storeRows(rows);
  let inFlight = 0;
  let sent = 0;
  data.client.middlewareStack.add(
    (next) => async (call) => {
      sent += 1;
      inFlight += 1;
      expect(inFlight).toBe(1);
      try {
        return await next(call);
      } finally {
        inFlight -= 1;
      }
    },
    { step: 'initialize', name: 'in-flight' },
  );
  const sentAtPage: number[] = [];
  const range = { from: 0, before: MAX_ID, filter: {}, attributes: ['id'] };
  for await (const { after } of data.stores(account).invoices.rows(range)) {
    if (after < MAX_ID - 1) sentAtPage.push(sent);
  }
  data.client.middlewareStack.remove('in-flight');
  expect(sentAtPage.length).toBeGreaterThan(3);
  expect(sentAtPage).toEqual(sentAtPage.map((_, i) => i + 2));
});

test('a few rows: one round trip; an empty range: no round trip', async () => {
  const rows = [1, 5, 2 ** 50].map((id) => ({ id, status: 'open', bytes: 100 }) as const);
  const account = await storeRows(rows);
  expect(await read(account, { from: 0, before: MAX_ID, filter: {} }, [1, 5, 2 ** 50])).toBe(1);
  expect(await read(account, { from: 0, before: 5, filter: {} }, [1])).toBe(1);
  expect(await read(account, { from: 5, before: 5, filter: {} }, [])).toBe(0);
});
