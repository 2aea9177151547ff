import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDelay } from '#local/engines/limits/delay.ts';
import { DYNAMODB_LIMITS } from '#local/engines/limits/settings.ts';
import { NO_LIMITS } from '#test/support/engine/no-limits.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { type Engines, startLimited } from './limited-engine.ts';
import * as requests from './requests.ts';

const {
  batchGet,
  batchWrite,
  get,
  itemOf,
  keyOf,
  put,
  query,
  queryStatus,
  remove,
  scan,
  transactGet,
  transactPut,
  update,
} = requests;

type Sent = readonly [operation: string, input: object];

let engines: Engines;

beforeAll(async () => {
  engines = await startLimited();
});
afterAll(() => engines.stop());

/** Compared, because the engines list the attributes of an item in any order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]): [string, unknown] => [name, sorted(one)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
};

describe('a request that no limit concerns: the response is that of the engine', () => {
  const SENT: readonly Sent[] = [
    get(1),
    get(99),
    put(1, { status: 'open' }),
    update(1, 'open'),
    remove(50),
    query(),
    queryStatus('open'),
    scan(),
    batchGet(1, 2),
    batchWrite(3),
    transactGet(keyOf(1)),
    transactPut([itemOf(4)]),
    ['DescribeTable', { TableName: 'invoices' }],
    ['ListTables', {}],
    ['GetItem', { TableName: 'missing', Key: keyOf(1) }],
    ['PutItem', { TableName: 'invoices', Item: { text: { S: 'no key' } } }],
  ];
  const WISHES = [undefined, 'NONE', 'TOTAL', 'INDEXES'];
  const cases = SENT.flatMap((sent) => WISHES.map((wish) => [sent[0], wish ?? 'nothing', sent] as const));

  test.each(partOf(cases, 4))('%s that asks for %s about capacity', async (_, wish, [operation, input]) => {
    engines.limiter.configure({ ...NO_LIMITS, readUnits: 1e6, writeUnits: 1e6 });
    await engines.direct(...put(1, { status: 'open' }));
    const wanted = wish === 'nothing' ? input : { ...input, ReturnConsumedCapacity: wish };
    const expected = await engines.direct(operation, wanted);
    expect(sorted(await engines.limited(operation, wanted))).toEqual(sorted(expected));
  });
});

describe('an index that lags', () => {
  const idsOf = async (sent: Sent): Promise<string[]> =>
    (await engines.limited(...sent)).Items.map(({ id }: ReturnType<typeof keyOf>) => id.N);

  test('a new row: in the table at once, in the index later', async () => {
    engines.limiter.configure({ ...NO_LIMITS, indexLagMs: 60_000 });
    await engines.direct(...put(61, { status: 'lagging' }));
    await engines.limited(...put(62, { status: 'lagging' }));
    expect(await idsOf(query())).toEqual(expect.arrayContaining(['61', '62']));
    expect(await idsOf(queryStatus('lagging'))).toEqual(['61']);
    engines.limiter.configure({ indexLagMs: 1 });
    expect((await idsOf(queryStatus('lagging'))).sort()).toEqual(['61', '62']);
  });

  test('a row whose index key does not change: stays in the index', async () => {
    engines.limiter.configure({ ...NO_LIMITS, indexLagMs: 60_000 });
    await engines.direct(...put(63, { status: 'steady' }));
    await engines.limited(...put(63, { status: 'steady', bytes: 10 }));
    expect(await idsOf(queryStatus('steady'))).toEqual(['63']);
  });
});

test('a page of a query: has at most the rows of the limits, and continues', async () => {
  engines.limiter.configure({ ...NO_LIMITS, pageRows: 2 });
  for (const id of [1, 2, 3]) await engines.direct(...put(id, { account: 'paged' }));
  const [operation, input] = query('paged');
  const { Items, LastEvaluatedKey } = await engines.limited(operation, input);
  expect([Items.length, LastEvaluatedKey]).toEqual([2, keyOf(2, 'paged')]);
  const rest = await engines.limited(operation, { ...input, ExclusiveStartKey: LastEvaluatedKey });
  expect(rest.Items).toHaveLength(1);
  expect((await engines.limited(operation, { ...input, Limit: 1 })).Items).toHaveLength(1);
});

test('delays: the same for the same seed, with the median and the 99th percentile of the limits', () => {
  const { delay } = DYNAMODB_LIMITS;
  const draw = (seed: number) => Array.from({ length: 2000 }, createDelay({ delay, seed }));
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  const ordered = draw(1).sort((a, b) => a - b);
  // Of the same seed, so these are always the same.
  expect((ordered[1000] as number) / delay.median).toBeCloseTo(1, 1);
  expect((ordered[1980] as number) / delay.p99).toBeCloseTo(1, 0);
});
