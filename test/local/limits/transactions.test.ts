import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NO_LIMITS } from '#test/support/engine/no-limits.ts';
import { type Engines, startLimited } from './limited-engine.ts';
import {
  batchGet,
  batchWrite,
  get,
  itemOf,
  keyOf,
  put,
  query,
  remove,
  transactGet,
  transactPut,
  update,
} from './requests.ts';

/*
 * "Transaction conflict handling" of the DynamoDB Developer Guide (transaction-apis), and the errors of the API
 * Reference. A transaction holds its items during a pause, so the other request arrives in between.
 */

type Sent = readonly [operation: string, input: object];

let engines: Engines;

/** The next pause of the limiter. */
let hold: { readonly begin: () => void; readonly end: Promise<void> } | undefined;

beforeAll(async () => {
  engines = await startLimited(async () => {
    const current = hold;
    hold = undefined;
    current?.begin();
    await current?.end;
  });
});
afterAll(() => engines.stop());
beforeEach(async () => {
  for (const id of [1, 2]) await engines.direct(...put(id));
});

/** Sends a request while a transaction is in progress; returns its outcome, and the response to the transaction. */
const during = async (first: Sent, second: Sent): Promise<{ outcome: string; first: object }> => {
  engines.limiter.configure({ ...NO_LIMITS, holdMs: 1 });
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  hold = { begin: begun.resolve, end: ended.promise };
  const running = engines.limited(...first);
  await begun.promise;
  const { code = 'granted', reasons, UnprocessedItems } = await engines.limited(...second);
  ended.resolve();
  const outcome = UnprocessedItems ? JSON.stringify(UnprocessedItems) : code;
  return { outcome: reasons ? `${code} ${reasons}` : outcome, first: await running };
};

const CANCELED = 'TransactionCanceledException';
const transaction = transactPut([itemOf(1), itemOf(2)]);

describe('an item that a transaction in progress writes', () => {
  const CASES: readonly [string, Sent, string][] = [
    ['PutItem', put(1), 'TransactionConflictException'],
    ['UpdateItem', update(1, 'paid'), 'TransactionConflictException'],
    ['DeleteItem', remove(1), 'TransactionConflictException'],
    ['TransactWriteItems', transactPut([itemOf(5), itemOf(2)]), `${CANCELED} None,TransactionConflict`],
    ['TransactGetItems', transactGet(keyOf(1), keyOf(5)), `${CANCELED} TransactionConflict,None`],
    ['GetItem', get(1), 'granted'],
    ['Query', query(), 'granted'],
    ['BatchGetItem', batchGet(1, 2), 'granted'],
    ['PutItem of another item', put(7), 'granted'],
  ];
  test.each(CASES)('%s: %p is %s', async (_, sent, expected) => {
    expect(await during(transaction, sent)).toEqual({ outcome: expected, first: {} });
  });

  test('BatchWriteItem: leaves the item unprocessed, and writes the others', async () => {
    const { outcome } = await during(transaction, batchWrite(1, 8));
    expect(outcome).toBe(JSON.stringify({ invoices: [{ PutRequest: { Item: itemOf(1) } }] }));
  });

  test('the same token: the transaction is in progress, and repeated later it writes nothing', async () => {
    const again = transactPut([itemOf(1)], { ClientRequestToken: crypto.randomUUID() });
    expect(await during(again, again)).toEqual({ outcome: 'TransactionInProgressException', first: {} });
    await engines.direct(...remove(1));
    expect(await engines.limited(...again)).toEqual({});
    expect((await engines.direct(...batchGet(1))).Responses.invoices).toEqual([]);
  });

  test('a transaction of other items: granted', async () => {
    expect(await during(transaction, transactPut([itemOf(7)]))).toEqual({ outcome: 'granted', first: {} });
  });

  test('afterwards, and after a failed condition: not held any more', async () => {
    engines.limiter.configure(NO_LIMITS);
    const failing = [
      'TransactWriteItems',
      {
        TransactItems: [
          { Put: { TableName: 'invoices', Item: itemOf(1), ConditionExpression: 'attribute_not_exists(id)' } },
        ],
      },
    ] as const;
    expect((await engines.limited(...failing)).reasons).toEqual(['ConditionalCheckFailed']);
    expect(await engines.limited(...put(1))).toEqual({});
  });
});
