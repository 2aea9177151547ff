import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type Engines, ONE_UNIT, startLimited } from './limited-engine.ts';
import * as requests from './requests.ts';

/*
 * DynamoDB's rules, as its API Reference and Developer Guide state them. The clock stands still, so a partition that
 * has one unit a second grants exactly one request.
 */

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

let engines: Engines;

beforeAll(async () => {
  engines = await startLimited();
});
afterAll(() => engines.stop());
beforeEach(async () => {
  for (const id of [1, 2, 3]) await engines.direct(...put(id, { status: 'open' }));
  await engines.direct(...put(1, { account: 'b' }));
  stopClock(Date.now() + 1);
  engines.limiter.configure(ONE_UNIT);
  engines.limiter.buckets.clear();
});
afterEach(() => {
  jest.useRealTimers();
});

type Sent = readonly [operation: string, input: object];

const send = ([operation, input]: Sent) => engines.limited(operation, input);

const codeOf = async (sent: Sent): Promise<string> => (await send(sent)).code ?? 'granted';

const THROTTLED = 'ThrottlingException';

describe('a partition without units', () => {
  const READS: readonly Sent[] = [get(1), query(), batchGet(1, 2), transactGet(keyOf(1))];
  const WRITES: readonly Sent[] = [put(9), update(1, 'open'), remove(3), batchWrite(7, 8), transactPut([itemOf(6)])];
  const errorOf = ([operation]: Sent) =>
    operation.startsWith('Transact')
      ? { code: 'TransactionCanceledException', reasons: ['ThrottlingError'] }
      : { code: THROTTLED };

  test.each(READS.map((sent) => [sent[0], sent] as const))(
    '%s: refused, until a second has passed',
    async (_, sent) => {
      expect(await codeOf(get(2))).toBe('granted');
      expect(await send(sent)).toEqual(errorOf(sent));
      jest.setSystemTime(Date.now() + 1000);
      expect(await codeOf(sent)).toBe('granted');
    },
  );

  test.each(WRITES.map((sent) => [sent[0], sent] as const))('%s: refused, and writes nothing', async (_, sent) => {
    expect(await codeOf(put(5))).toBe('granted');
    const before = await engines.direct(...scan());
    expect(await send(sent)).toEqual(errorOf(sent));
    expect(await engines.direct(...scan())).toEqual(before);
  });

  const OTHERS: readonly [string, Sent][] = [
    ['another account', put(1, { account: 'b' })],
    ['a read', get(1)],
    ['an index', queryStatus('open')],
    ['another table', put(1, {}, { TableName: 'provisioned' })],
  ];
  test.each(OTHERS)('%s: has units of its own', async (_, sent) => {
    expect(await codeOf(put(5))).toBe('granted');
    expect([await codeOf(put(5)), await codeOf(sent)]).toEqual([THROTTLED, 'granted']);
  });

  test('a table in provisioned mode: refuses with its own exception and reason', async () => {
    const table = { TableName: 'provisioned' };
    const Item = itemOf(1);
    expect(await codeOf(put(1, {}, table))).toBe('granted');
    expect(await codeOf(put(1, {}, table))).toBe('ProvisionedThroughputExceededException');
    expect((await send(['TransactWriteItems', { TransactItems: [{ Put: { ...table, Item } }] }])).reasons).toEqual([
      'ProvisionedThroughputExceeded',
    ]);
  });

  test('a write that puts a row into an index without units: refused, although the table has units', async () => {
    expect(await codeOf(put(11, { account: 'c', status: 'busy' }))).toBe('granted');
    expect(await codeOf(put(11, { account: 'd', status: 'busy' }))).toBe(THROTTLED);
    expect(await codeOf(put(11, { account: 'd', status: 'calm' }))).toBe('granted');
  });

  test.each([
    ['an update that moves a row', 12, update(1, 'calm')],
    ['the deletion of a row', 13, remove(1)],
  ])('%s out of an index partition: needs its units', async (_, id, sent) => {
    expect(await codeOf(put(id, { account: 'c', status: 'open' }))).toBe('granted');
    expect(await codeOf(sent)).toBe(THROTTLED);
  });

  test('a transaction: one reason for each item, in their order', async () => {
    expect(await codeOf(put(5))).toBe('granted');
    const items = [itemOf(1, { account: 'b' }), itemOf(1), itemOf(1, { account: 'c' })];
    expect((await send(transactPut(items))).reasons).toEqual(['None', 'ThrottlingError', 'None']);
  });
});

describe('a batch of which a part has no units', () => {
  test('BatchGetItem: returns the rest as unprocessed keys, with the settings of the table', async () => {
    const input = batchGet(1, 2)[1].RequestItems.invoices;
    const { Responses, UnprocessedKeys } = await send([
      'BatchGetItem',
      { RequestItems: { invoices: { ...input, Keys: [...input.Keys, keyOf(1, 'b')] } } },
    ]);
    expect(Responses.invoices.map(({ account, id }: ReturnType<typeof keyOf>) => account.S + id.N).sort()).toEqual([
      'a1',
      'b1',
    ]);
    expect(UnprocessedKeys).toEqual({ invoices: { ...input, Keys: [keyOf(2)] } });
  });

  test('BatchWriteItem: returns the rest as unprocessed items, and does not write them', async () => {
    const { UnprocessedItems } = await send(batchWrite(21, 22));
    expect(UnprocessedItems).toEqual({ invoices: [{ PutRequest: { Item: itemOf(22) } }] });
    const { Responses } = await engines.direct(...batchGet(21, 22));
    expect(Responses.invoices).toHaveLength(1);
  });
});

describe('consumed units', () => {
  const usage = () =>
    Object.fromEntries(
      engines.limiter.buckets
        .usage()
        .filter(({ units }) => units !== 0)
        .map(({ partition: { kind, name, value }, units }) => [`${kind} ${name} ${value}`, units]),
    );

  const CASES: readonly [string, Sent, Record<string, number>][] = [
    ['a strongly consistent read of 4 KB', get(1), { 'read invoices a': 1 }],
    ['an eventually consistent read of an index', queryStatus('open'), { 'read invoices.by_status open': 0.5 }],
    ['a read by a transaction', transactGet(keyOf(1), keyOf(1, 'b')), { 'read invoices a': 2, 'read invoices b': 2 }],
    ['a write of 1 KB', put(42), { 'write invoices a': 1 }],
    ['a write of 2.5 KB', put(43, { bytes: 2500 }), { 'write invoices a': 3 }],
    [
      'a write by a transaction',
      transactPut([itemOf(41), itemOf(41, { account: 'b' })]),
      { 'write invoices a': 2, 'write invoices b': 2 },
    ],
    ['a new row of an index', put(31, { status: 'new' }), { 'write invoices a': 1, 'write invoices.by_status new': 1 }],
    ['an index key that is unchanged', put(1, { status: 'open' }), { 'write invoices a': 1 }],
    [
      'a changed index key: a deletion and a put',
      update(1, 'paid'),
      { 'write invoices a': 1, 'write invoices.by_status open': 1, 'write invoices.by_status paid': 1 },
    ],
    ['a scan: the partitions of its items share the units', scan(), { 'read invoices a': 1, 'read invoices b': 1 }],
  ];
  testOnDynoxide.each(CASES)('%s: are those of the partitions', async (_, sent, expected) => {
    await engines.direct(...remove(31));
    engines.limiter.configure({ readUnits: 100, writeUnits: 100 });
    const { code } = await send(sent);
    expect(code).toBeUndefined();
    if (sent[0] === 'Scan') expect(Object.keys(usage())).toEqual(expect.arrayContaining(Object.keys(expected)));
    else expect(usage()).toEqual(expected);
  });

  test('more than the partition has: granted, and refused until the debt is paid', async () => {
    expect(await codeOf(put(5, { bytes: 2500 }))).toBe('granted');
    jest.setSystemTime(Date.now() + 2000);
    expect(await codeOf(put(5))).toBe(THROTTLED);
    jest.setSystemTime(Date.now() + 1000);
    expect(await codeOf(put(5))).toBe('granted');
  });

  test('a failed condition: consumes as much as a write, a rejected request nothing', async () => {
    const [operation, input] = put(1);
    expect(await codeOf([operation, { ...input, ConditionExpression: 'nonsense(' }])).toBe('ValidationException');
    const condition = { ConditionExpression: 'attribute_not_exists(id)' };
    expect(await codeOf([operation, { ...input, ...condition }])).toBe('ConditionalCheckFailedException');
    expect(usage()).toEqual({ 'write invoices a': 1 });
    expect(await codeOf(put(2))).toBe(THROTTLED);
  });

  test('burst credit and scale: the units of some seconds at once, at a part of the rate', async () => {
    engines.limiter.configure({ ...ONE_UNIT, writeUnits: 50, scale: 1 / 50, burstSeconds: 3 });
    const codes = [];
    for (let i = 0; i < 4; i++) codes.push(await codeOf(put(5)));
    expect(codes).toEqual(['granted', 'granted', 'granted', THROTTLED]);
  });

  test('refusals: counted for the partition that has no units', async () => {
    for (let i = 0; i < 3; i++) await send(put(5));
    const refused = engines.limiter.buckets.usage().filter(({ refusals }) => refusals > 0);
    expect(refused).toEqual([{ partition: { kind: 'write', name: 'invoices', value: 'a' }, units: 1, refusals: 2 }]);
  });
});
