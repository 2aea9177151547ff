import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { extent } from '#test/support/extent.ts';
import { type Data, startData } from './engine.ts';

let data: Data;
beforeAll(async () => {
  data = await startData();
});
afterAll(() => data.stop());

const PAGE_BYTES = 2 ** 20;
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
  for (let i = 0; i < rows.length; i += 25) {
    const invoices = rows.slice(i, i + 25).map(({ id, status, bytes }) => ({
      PutRequest: { Item: { account_id, id, status, pad: 'x'.repeat(bytes) } },
    }));
    await data.client.send(new BatchWriteCommand({ RequestItems: { invoices } }));
  }
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

/** Consecutive rows of one size, at most so many ids apart. */
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

/**
 * The most round trips for a range. At a constant density a chunk fills 4/5 of a page; random gaps make some chunks
 * larger than a page, which costs one more round trip: two per page are allowed. After a change of density the 3
 * prefetched chunks still have the old width, and 3 more find the new width.
 */
const maxTrips = (rows: readonly Row[], segments: number): number => {
  const pages = rows.reduce((sum, { bytes }) => sum + bytes + 50, 0) / PAGE_BYTES;
  return Math.ceil(2 * pages + 6 * segments + 2);
};

test('rows of any density: each once, in id order, in about as many round trips as pages [CONTRACT §9]', async () => {
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
        expect(trips).toBeLessThanOrEqual(
          maxTrips(within(rows, { ...range, filter: {} }), Math.max(segments.length, 1)),
        );
      }
    }),
    { numRuns: extent({ full: 12, part: 4 }) },
  );
}, 60_000);

test('evenly spread rows: at most a quarter more round trips than pages, and 5', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({ id: 4096 * (i + 1), status: 'open', bytes: 30_000 }) as const);
  const account = await storeRows(rows);
  const range = { from: 0, before: MAX_ID, filter: {} };
  const trips = await read(
    account,
    range,
    rows.map(({ id }) => id),
  );
  expect(trips).toBeLessThanOrEqual(Math.ceil((1.25 * 300 * 30_050) / PAGE_BYTES) + 5);
});

test('a few rows: one round trip; an empty range: none', async () => {
  const rows = [1, 5, 2 ** 50].map((id) => ({ id, status: 'open', bytes: 100 }) as const);
  const account = await storeRows(rows);
  expect(await read(account, { from: 0, before: MAX_ID, filter: {} }, [1, 5, 2 ** 50])).toBe(1);
  expect(await read(account, { from: 0, before: 5, filter: {} }, [1])).toBe(1);
  expect(await read(account, { from: 5, before: 5, filter: {} }, [])).toBe(0);
});

test('small rows after large ones: as many round trips as pages, not as rows', async () => {
  const large = Array.from({ length: 6 }, (_, i) => ({ id: 10 * (i + 1), status: 'open', bytes: 390_000 }) as const);
  const small = Array.from({ length: 600 }, (_, i) => ({ id: 70 + 10 * i, status: 'open', bytes: 100 }) as const);
  const rows = [...large, ...small];
  const trips = await read(
    await storeRows(rows),
    { from: 0, before: MAX_ID, filter: {} },
    rows.map(({ id }) => id),
  );
  expect(trips).toBeLessThanOrEqual(12);
});
