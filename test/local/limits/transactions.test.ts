import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NO_LIMITS } from '#local/engines/limits/settings.ts';
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
 * Reference. A request holds its items while the engine waits, so the other request arrives in between.
 */

type Sent = readonly [operation: string, input: object];

let engines: Engines;

beforeAll(async () => {
  engines = await startLimited();
});
afterAll(() => engines.stop());
beforeEach(async () => {
  for (const id of [1, 2]) await engines.direct(...put(id));
});

const HOLD_MS = 300;

/** Sends a request again and again while another one is in progress; returns its distinct outcomes, and the other's. */
const during = async (first: Sent, second: Sent, holdMs = HOLD_MS): Promise<{ outcomes: string[]; first: object }> => {
  engines.limiter.configure({ ...NO_LIMITS, holdMs });
  const progress = { isOver: false };
  const running = engines.limited(...first).finally(() => {
    progress.isOver = true;
  });
  const outcomes = new Set<string>();
  // The first response may have come before the other request had arrived.
  for (let i = 0; !progress.isOver; i++) {
    const { code = 'granted', reasons, UnprocessedItems } = await engines.limited(...second);
    const outcome = UnprocessedItems ? JSON.stringify(UnprocessedItems) : code;
    if (i > 0 && !progress.isOver) outcomes.add(reasons ? `${code} ${reasons}` : outcome);
  }
  const response = await running;
  // On a busy machine, no second response may come in this time.
  return outcomes.size === 0 ? during(first, second, 2 * holdMs) : { outcomes: [...outcomes], first: response };
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
    const { outcomes, first } = await during(transaction, sent);
    expect(outcomes).toEqual([expected]);
    expect(first).toEqual({});
  });

  test('BatchWriteItem: leaves the item unprocessed, and writes the others', async () => {
    const { outcomes } = await during(transaction, batchWrite(1, 8));
    expect(outcomes).toEqual([JSON.stringify({ invoices: [{ PutRequest: { Item: itemOf(1) } }] })]);
  });

  test('the same token: the transaction is in progress, and repeated later it writes nothing', async () => {
    const again = transactPut([itemOf(1)], { ClientRequestToken: crypto.randomUUID() });
    engines.limiter.configure({ ...NO_LIMITS, holdMs: HOLD_MS });
    const both = await Promise.all([engines.limited(...again), engines.limited(...again)]);
    expect(both.map(({ code = 'granted' }) => code).sort()).toEqual(['TransactionInProgressException', 'granted']);
    await engines.direct(...remove(1));
    expect(await engines.limited(...again)).toEqual({});
    expect((await engines.direct(...batchGet(1))).Responses.invoices).toEqual([]);
  });

  test('a transaction of other items: granted', async () => {
    engines.limiter.configure({ ...NO_LIMITS, holdMs: HOLD_MS });
    const both = [transaction, transactPut([itemOf(7)])].map((sent) => engines.limited(...sent));
    expect(await Promise.all(both)).toEqual([{}, {}]);
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
