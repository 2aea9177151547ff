import { setImmediate as nextTask } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { Store } from '#shared/platform/store/store.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { putRows } from '#test/support/state/put-rows.ts';
import { type Data, startData } from '#test/unit/platform/engine.ts';

/** A page of 1 MB has 34 rows. */
const PAGE_UNITS = 249;
const ROWS = 200;
const ROW_BYTES = 30_000;
const PAGES = Math.ceil((ROWS * ROW_BYTES) / 2 ** 20);

let data: Data;
let faults: Faults;
/** When the requests of pages were sent. */
let sentAt: number[] = [];

beforeAll(async () => {
  data = await startData();
  await retryWithoutDelay(data.client);
  faults = injectFaults(data.client);
  data.client.middlewareStack.add(
    (next) => (call) => {
      sentAt.push(performance.now());
      return next(call);
    },
    { step: 'initialize', name: 'pages' },
  );
  const pad = 'x'.repeat(ROW_BYTES);
  const rows = Array.from({ length: ROWS }, (_, i) => ({ account_id: 'acct_1', id: i + 1, pad }));
  await putRows(data.client, 'invoices', rows);
});
afterAll(() => data.stop());
beforeEach(() => {
  faults.plan();
  sentAt = [];
});

const open = (partitionReadUnits: number, readers = 1) => {
  const store = new Store({ ...data.engine, partitionReadUnits }, { ...tables.invoices, name: 'invoices' }, 'acct_1');
  const range = { from: 0, before: Number.MAX_SAFE_INTEGER, filter: {}, attributes: ['id'] };
  return store.rows({ ...range, countReaders: async () => readers });
};

const readAll = async (chunks: ReturnType<typeof open>) => {
  const ids: unknown[] = [];
  let empty = 0;
  for await (const { rows } of chunks) {
    if (rows.length === 0) empty += 1;
    ids.push(...rows.map(({ id }) => id));
  }
  expect(ids).toEqual(Array.from({ length: ROWS }, (_, i) => i + 1));
  return empty;
};

test.each([
  // A lone reader begins with the units of a second, and several readers with a page each.
  { readers: 1, units: 2000, allowance: 1000 },
  { readers: 4, units: 12_000, allowance: 4 * PAGE_UNITS },
])(
  'readers of a partition, $readers: together they use half of its units, however fast it responds [CONTRACT §9]',
  async ({ readers, units, allowance }) => {
    const start = performance.now();
    await Promise.all(Array.from({ length: readers }, async () => readAll(open(units, readers))));
    expect(sentAt).toHaveLength(readers * PAGES);
    sentAt.sort((a, b) => a - b);
    // A timer may be up to a millisecond early.
    const early = sentAt.filter((at, i) => i * PAGE_UNITS > allowance + (at + 1 - start) * (units / 2 / 1000));
    expect(early).toEqual([]);
  },
);

test('refused pages: requested again after a pause, and the caller can stop meanwhile [CONTRACT §9]', async () => {
  const REFUSED = 2;
  const SDK_ATTEMPTS = 3;
  faults.plan(({ number }) => (number <= REFUSED * SDK_ATTEMPTS ? 'throttling' : undefined));
  const empty = await readAll(open(12_000));
  expect(empty).toBe(REFUSED);
  expect(faults.attempts.length).toBe(REFUSED * SDK_ATTEMPTS + PAGES);
});

test('a long pause: the caller can stop during it, and no other page is requested', async () => {
  const chunks = open(12_000, 20);
  for await (const { rows } of chunks) {
    if (rows.length > 0) break;
  }
  const sent = sentAt.length;
  // Without the pause, the next page would be requested at once.
  await nextTask();
  expect([sent, sentAt.length]).toEqual([1, 1]);
});

test('an error that is not transient: it ends the range', async () => {
  faults.plan(() => 'crash-before');
  await expect(readAll(open(12_000))).rejects.toThrow('Crash');
});
