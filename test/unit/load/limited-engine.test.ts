import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createTables } from '#local/engines/tables.ts';
import type { Request } from '#test/load/engine/accesses.ts';
import { limitClient } from '#test/load/engine/limit-client.ts';
import { LimitedEngine } from '#test/load/engine/limited-engine.ts';
import { NO_LIMITS } from '#test/load/engine/limits.ts';
import type { Reply } from '#test/load/engine/refusals.ts';
import { startTestDynamo } from '#test/support/engine/dynamo.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { newAccount } from '#test/support/service/makers.ts';

/*
 * DynamoDB's rules, as its API Reference and Developer Guide state them. The clock stands still, so a partition that
 * has one unit a second grants exactly one request.
 */

const ONE_UNIT = { ...NO_LIMITS, readUnits: 1, writeUnits: 1 };

const database = await startTestDynamo();
await createTables(database.endpoint);

type Sent = readonly [operation: string, input: object];

const keyOf = (id: number, account = 'a') => ({ account_id: { S: account }, id: { N: String(id) } });
const TABLE = { TableName: 'invoices' };

const get = (id: number): Sent => ['GetItem', { ...TABLE, Key: keyOf(id), ConsistentRead: true }];
const put = (id: number, account = 'a', table = TABLE): Sent => ['PutItem', { ...table, Item: keyOf(id, account) }];
const update = (id: number): Sent => ['UpdateItem', { ...TABLE, Key: keyOf(id) }];
const remove = (id: number): Sent => ['DeleteItem', { ...TABLE, Key: keyOf(id) }];
const queryOf = (attribute: string, value: string, input: object = {}): Sent => [
  'Query',
  {
    ...TABLE,
    KeyConditionExpression: '#a = :a AND id > :i',
    ExpressionAttributeNames: { '#a': attribute },
    ExpressionAttributeValues: { ':a': { S: value }, ':i': { N: '0' } },
    ...input,
  },
];
const query = queryOf('account_id', 'a', { ConsistentRead: true });
const queryStatus = queryOf('by_status', 'a#open', { IndexName: 'by_status' });
const batchGet = (...ids: number[]): Sent => [
  'BatchGetItem',
  { RequestItems: { invoices: { Keys: ids.map((id) => keyOf(id)), ConsistentRead: true } } },
];
const transactGet = (...ids: number[]): Sent => [
  'TransactGetItems',
  { TransactItems: ids.map((id) => ({ Get: { ...TABLE, Key: keyOf(id) } })) },
];
const transactPut = (...keys: ReturnType<typeof keyOf>[]): Sent => [
  'TransactWriteItems',
  { TransactItems: keys.map((Item) => ({ Put: { ...TABLE, Item } })) },
];
const check = (id: number): Sent => [
  'TransactWriteItems',
  { TransactItems: [{ ConditionCheck: { ...TABLE, Key: keyOf(id) } }] },
];

const DONE: Reply = { status: 200, body: {} };

const engine = new LimitedEngine();
beforeEach(() => {
  stopClock();
  engine.configure(ONE_UNIT);
});
afterEach(() => {
  jest.useRealTimers();
});

/** Sends a request; returns the error, the reasons of a canceled transaction, or `granted` if the engine got it. */
const send = async ([operation, input]: Sent, reply: Reply | Promise<Reply> = DONE): Promise<string> => {
  let isCalled = false;
  const { body } = await engine.answer(operation, input as Request, async () => {
    isCalled = true;
    return reply;
  });
  if (isCalled) return 'granted';
  const { __type, CancellationReasons } = body as { __type: string; CancellationReasons?: { Code: string }[] };
  const code = __type.split('#')[1] as string;
  return CancellationReasons ? `${code} ${CancellationReasons.map(({ Code }) => Code)}` : code;
};

const THROTTLED = 'ThrottlingException';
const CANCELED = 'TransactionCanceledException';

describe('a partition without units', () => {
  const READS = [get(1), query, batchGet(1), transactGet(1)].map((sent) => [sent[0], sent, get(2)] as const);
  const WRITES = [put(1), update(1), remove(1), transactPut(keyOf(1)), check(1)].map(
    (sent) => [sent[0], sent, put(2)] as const,
  );
  test.each([...READS, ...WRITES])('%s: refused, until a second has passed', async (_, sent, other) => {
    expect(await send(other)).toBe('granted');
    const error = sent[0].startsWith('Transact') ? `${CANCELED} ThrottlingError` : THROTTLED;
    expect(await send(sent)).toBe(error);
    jest.setSystemTime(Date.now() + 1000);
    expect(await send(sent)).toBe('granted');
  });

  test.each([
    ['another account', put(1, 'b')],
    ['a read', get(1)],
    ['another table', put(1, 'a', { TableName: 'customers' })],
  ])('%s: has units of its own', async (_, sent) => {
    expect([await send(put(1)), await send(put(2)), await send(sent)]).toEqual(['granted', THROTTLED, 'granted']);
  });

  test('an index: its partition has units of its own', async () => {
    const sent = [queryStatus, query, query, queryStatus];
    const outcomes: string[] = [];
    for (const one of sent) outcomes.push(await send(one, { status: 200, body: consumed(1) }));
    expect(outcomes).toEqual(['granted', 'granted', THROTTLED, THROTTLED]);
  });

  test('a transaction: one reason for each item, in their order', async () => {
    expect(await send(put(5))).toBe('granted');
    const outcome = await send(transactPut(keyOf(1, 'b'), keyOf(1), keyOf(1, 'c')));
    expect(outcome).toBe(`${CANCELED} None,ThrottlingError,None`);
  });

  test('refusals and units: counted for the partition', async () => {
    for (const id of [1, 2, 3]) await send(put(id));
    expect(engine.buckets.usage(({ value }) => value === 'a')).toEqual({ units: 1, refusals: 2 });
    expect(engine.buckets.usage(({ kind }) => kind === 'read')).toEqual({ units: 0, refusals: 0 });
  });
});

/** The capacity that DynamoDB reports for a request of the table. */
const consumed = (units: number) => ({
  ConsumedCapacity: { TableName: 'invoices', CapacityUnits: units, Table: { CapacityUnits: units } },
});

describe('consumed units', () => {
  test('parallel requests: the least that each needs is taken before the engine responds', async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const first = send(put(1), promise);
    expect(await send(put(2))).toBe(THROTTLED);
    resolve(DONE);
    expect(await first).toBe('granted');
  });

  test('more than the partition has: granted, and refused until the debt is paid', async () => {
    expect(await send(put(1), { status: 200, body: consumed(3) })).toBe('granted');
    jest.setSystemTime(Date.now() + 2000);
    expect(await send(put(1))).toBe(THROTTLED);
    jest.setSystemTime(Date.now() + 1000);
    expect(await send(put(1))).toBe('granted');
  });

  test('a failed condition: consumes as much as a write, in a transaction twice as much', async () => {
    await send(put(1), { status: 400, body: {} });
    await send(transactPut(keyOf(1, 'b')), { status: 400, body: {} });
    const unitsOf = (account: string) => engine.buckets.usage(({ value }) => value === account).units;
    expect([unitsOf('a'), unitsOf('b')]).toEqual([1, 2]);
  });

  test('a scale of 3/1000: three of 1,000 units a second, also after a pause', async () => {
    engine.configure({ ...NO_LIMITS, writeUnits: 1000, scale: 3 / 1000 });
    for (let burst = 0; burst < 2; burst++) {
      const outcomes: string[] = [];
      for (let id = 0; id < 4; id++) outcomes.push(await send(put(id)));
      expect(outcomes).toEqual(['granted', 'granted', 'granted', THROTTLED]);
      jest.setSystemTime(Date.now() + 60_000);
    }
  });
});

describe('an item that a transaction in progress writes', () => {
  const CONFLICT = 'TransactionConflictException';
  const CASES: readonly (readonly [Sent, string])[] = [
    [put(1), CONFLICT],
    [update(1), CONFLICT],
    [remove(1), CONFLICT],
    [transactPut(keyOf(5), keyOf(1)), `${CANCELED} None,TransactionConflict`],
    [check(1), `${CANCELED} TransactionConflict`],
    [transactGet(1, 5), `${CANCELED} TransactionConflict,None`],
    [get(1), 'granted'],
    [query, 'granted'],
    [batchGet(1, 2), 'granted'],
    [put(1, 'b'), 'granted'],
  ];
  test.each(CASES.map(([sent, outcome]) => [sent[0], outcome, sent] as const))('%s: %s', async (_, expected, sent) => {
    engine.configure(NO_LIMITS);
    const before = engine.conflicts;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const transaction = send(transactPut(keyOf(1), keyOf(2)), promise);
    expect([await send(sent), engine.conflicts - before]).toEqual([expected, expected === 'granted' ? 0 : 1]);
    resolve({ status: 400, body: {} });
    await transaction;
    expect(await send(sent)).toBe('granted');
  });
});

describe('a client of the SDK with limits', () => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.endpoint, maxAttempts: 1 }));
  limitClient(client, engine);
  afterAll(async () => {
    client.destroy();
    await database.stop();
  });
  let account_id: string;
  beforeEach(() => {
    account_id = newAccount();
    engine.configure({ ...NO_LIMITS, readUnits: 100, writeUnits: 100 });
  });
  const putOf = (id: number, bytes = 0) => ({ ...TABLE, Item: { account_id, id, text: 'x'.repeat(bytes) } });
  const unitsOf = (kind: string): number =>
    engine.buckets.usage((partition) => partition.kind === kind && partition.value.startsWith(account_id)).units;

  testOnDynoxide('writes and reads: the partitions give the units that the engine reports', async () => {
    await client.send(new PutCommand(putOf(1)));
    await client.send(new PutCommand(putOf(2, 2500)));
    expect(unitsOf('write')).toBe(1 + 3);
    await client.send(new TransactWriteCommand({ TransactItems: [{ Put: putOf(3) }, { Put: putOf(4) }] }));
    expect(unitsOf('write')).toBe(4 + 2 * 2);
    const ExpressionAttributeValues = { ':a': account_id };
    const read = { ...TABLE, KeyConditionExpression: 'account_id = :a', ExpressionAttributeValues };
    await client.send(new QueryCommand({ ...read, ConsistentRead: true }));
    expect(unitsOf('read')).toBe(1);
    const index = { IndexName: 'by_status', KeyConditionExpression: 'by_status = :a' };
    await client.send(new QueryCommand({ ...read, ...index }));
    expect(unitsOf('read')).toBe(1.5);
  });

  test('refusals: the SDK throws them as those of DynamoDB, and nothing is written', async () => {
    engine.configure({ ...NO_LIMITS, writeUnits: 1 });
    await client.send(new PutCommand(putOf(1)));
    await expect(client.send(new PutCommand(putOf(2)))).rejects.toMatchObject({ name: THROTTLED });
    const TransactItems = [{ Put: putOf(3) }];
    await expect(client.send(new TransactWriteCommand({ TransactItems }))).rejects.toMatchObject({
      name: CANCELED,
      CancellationReasons: [{ Code: 'ThrottlingError' }],
    });
    expect(await countRows()).toBe(1);
  });

  test('a page of a query: has at most the rows of the limits', async () => {
    engine.configure({ ...NO_LIMITS, pageRows: 2 });
    for (const id of [1, 2, 3]) await client.send(new PutCommand(putOf(id)));
    expect([await countRows(), await countRows({ Limit: 1 })]).toEqual([2, 1]);
  });

  const countRows = async (more: object = {}): Promise<number | undefined> => {
    const ExpressionAttributeValues = { ':a': account_id };
    const input = { ...TABLE, KeyConditionExpression: 'account_id = :a', ExpressionAttributeValues, ...more };
    return (await client.send(new QueryCommand(input))).Count;
  };
});
