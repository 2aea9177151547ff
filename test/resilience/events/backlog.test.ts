import { randomUUID } from 'node:crypto';
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import publishChanges from '#functions/workers/publish-changes.ts';
import type { ResourceChange } from '#shared/platform/commit/change.ts';
import type { OutboxRow } from '#shared/platform/commit/outbox-row.ts';
import type { StreamWorker, WorkerContext } from '#shared/platform/declarations/worker.ts';
import { readFeed } from '#shared/platform/events/feed.ts';
import type { FeedHead } from '#shared/platform/events/feed-head.ts';
import { firstIdAt, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { fault } from '#test/support/faults/faults.ts';
import { type Interrupt, interrupt } from '#test/support/faults/interleave.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type Data, startData } from '#test/unit/platform/engine.ts';

/*
 * A backlog of one account, which is larger than one call can publish (CONTRACT §14). The rows of its outbox are computed
 * when they are read, so that the test needs no second for each thousand of them.
 */

const BACKLOG = 500_000;
const SMALL_ROW_BYTES = 306;
const PAGE_BYTES = 2 ** 20;
/** A strongly consistent read of 4 KB is one unit. */
const UNIT_BYTES = 4096;
/** The partition of an account accepts 1,000 write units a second, and a change takes two. */
const SPACING = 2 * IDS_PER_MILLISECOND;
const FIRST = firstIdAt(Date.parse('2026-11-21T09:00:00.000Z'));

let data: Data;
let interruptAt: Interrupt;
let account: string;
let rowBytes: number;
/** The deleted rows, which are always the first rows. */
let deleted: number;
let units: number;
let transactions: number;
let transactionMs: number;
/** Whether the process of a sequencer ends after its transactions, before it deletes rows. */
let isDeletionLost: boolean;
const tokens = new Set<string | undefined>();
/** The number of transactions that are throttled next. */
let throttled = 0;

const MINUTE_MS = 60_000;

const range = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

const change = (id: number): ResourceChange => ({
  type: 'customer.updated',
  resource_type: 'customer',
  resource_id: id,
  version: 2,
  changed: ['name'],
});

const rowAt = (i: number): OutboxRow & { account_id: string } => {
  const id = FIRST + i * SPACING;
  return { account_id: account, id, write_id: `w${i}`, actor: 'user_1', request_id: 'r', changes: [change(id)] };
};

/** One page of a query for rows up to an id. */
const query = ({
  ExpressionAttributeValues = {},
  ExclusiveStartKey,
  Limit = Number.POSITIVE_INFINITY,
}: QueryCommandInput) => {
  const last = Math.max(...Object.values(ExpressionAttributeValues).map(Number).filter(Number.isFinite));
  const from = ExclusiveStartKey ? (Number(ExclusiveStartKey['id']) - FIRST) / SPACING + 1 : deleted;
  const through = Math.min(BACKLOG - 1, Math.floor((last - FIRST) / SPACING));
  const count = Math.max(0, Math.min(Limit, Math.floor(PAGE_BYTES / rowBytes), through - from + 1));
  units += (count * rowBytes) / UNIT_BYTES;
  const Items = Array.from({ length: count }, (_, i) => rowAt(from + i));
  const isEnd = from + count > through && last < Number.MAX_SAFE_INTEGER;
  return { Items, ...(!isEnd && { LastEvaluatedKey: { account_id: account, id: Items.at(-1)?.id } }) };
};

beforeAll(async () => {
  data = await startData();
  interruptAt = interrupt(data.client);
  data.client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (call) => {
        const input = call.input as QueryCommandInput & { readonly ClientRequestToken?: string };
        // A slow machine may send a transaction twice, with the same token.
        if (commandName.startsWith('TransactWrite') && !tokens.has(input.ClientRequestToken)) {
          tokens.add(input.ClientRequestToken);
          transactions += 1;
          jest.setSystemTime(Date.now() + transactionMs);
          if (throttled-- > 0)
            throw fault('TransactionCanceledException', { CancellationReasons: [{ Code: 'ThrottlingError' }] });
        }
        if (input.TableName !== 'outbox') return next(call);
        if (commandName.startsWith('Query')) return { output: query(input), response: {} } as never;
        if (commandName.startsWith('Delete')) {
          if (isDeletionLost) throw fault('ThrottlingException', {});
          deleted += 1;
          return { output: {}, response: {} } as never;
        }
        return next(call);
      },
    { step: 'initialize', priority: 'high', name: 'backlog' },
  );
});
afterAll(() => data.stop());
beforeEach(() => {
  account = `acct_${randomUUID().slice(0, 8)}`;
  [deleted, units, transactions, transactionMs] = [0, 0, 0, 100];
  [rowBytes, isDeletionLost] = [SMALL_ROW_BYTES, false];
  stopClock();
});
afterEach(() => {
  jest.useRealTimers();
});

test(`${BACKLOG} waiting changes: a call appends the oldest changes, with a bounded number of reads [CONTRACT §14]`, async () => {
  const { outbox, events } = data.stores(account);
  let head: FeedHead | undefined;
  for (let call = 1; call <= 2; call++) {
    units = 0;
    const result = await outbox.publish(events, { ms: 1000, head });
    ({ head } = result);
    expect([result.published, head.sequence, result.isCaughtUp]).toEqual([990, call * 990, false]);
    // Two steps of 495 rows, which are read twice, with the 2,000 rows of the next four seconds.
    expect(units).toBeLessThan(((2 * 2 * 495 + 2 * 2000) * SMALL_ROW_BYTES) / UNIT_BYTES + 2);
    expect([transactions, deleted]).toEqual([call * 10, call * 990]);
  }
});

/** The events of the first 99 changes are published, and the rest of the backlog waits. Nobody works on it. */
const publishSome = async () => {
  const { outbox, events } = data.stores(account);
  await outbox.publish(events, { ms: 0 });
  expect([transactions, deleted]).toEqual([1, 99]);
  jest.setSystemTime(Date.now() + MINUTE_MS);
  return { outbox, events };
};

const TOO_MANY = { detail: 'Too many changes are waiting.' };
const page = { style: 'cursor', filter: {}, after: undefined, limit: 20 } as const;

test('a page that ends before the waiting changes: found, with at most one transaction [CONTRACT §14]', async () => {
  const { outbox, events } = await publishSome();
  const { rows } = await readFeed({ ...page, order: 'ascending' }, outbox, events);
  expect([rows.map(({ sequence }) => sequence), transactions]).toEqual([range(20), 2]);
  const last = rows.at(-1)?.id as number;
  const { rows: next } = await readFeed({ ...page, order: 'ascending', after: last }, outbox, events);
  expect(next.map(({ sequence }) => sequence)).toEqual(range(20).map((sequence) => sequence + 20));
});

test('a page that ends before the waiting changes, while another sequencer works: found without a transaction', async () => {
  const { outbox, events } = data.stores(account);
  await outbox.publish(events, { ms: 0 });
  const { rows } = await readFeed({ ...page, order: 'ascending' }, outbox, events);
  expect([rows.length, transactions]).toEqual([20, 1]);
});

test('a page after the last event: found after the transactions that fill it [CONTRACT §14]', async () => {
  const { outbox, events } = await publishSome();
  const { last_id } = await outbox.readHead();
  const { rows } = await readFeed({ ...page, order: 'ascending', after: last_id, limit: 100 }, outbox, events);
  expect([rows.map(({ sequence }) => sequence), transactions]).toEqual([range(100).map((i) => i + 99), 3]);
});

test('a backlog on which another sequencer works: a second sequencer waits', async () => {
  const { outbox, events } = data.stores(account);
  let { head } = await outbox.publish(events, { ms: 0 });
  const isNeeded = async () => {
    ({ head } = await outbox.publish(events, { ms: 0, head }));
    return head.sequence < 297;
  };
  expect(await outbox.publish(events, { isNeeded })).toMatchObject({ published: 0, isCaughtUp: false });
  expect(transactions).toBe(3);
});

test('another sequencer between the two reads of a backlog: no transaction, which would use units', async () => {
  const { outbox, events } = data.stores(account);
  const { response } = await interruptAt(
    3,
    () => outbox.publish(events, { ms: 0 }),
    () => outbox.publish(events, { ms: 0 }),
  );
  expect([response.published, transactions]).toEqual([0, 1]);
});

test('a backlog on which another sequencer has stopped: a second sequencer continues after a while', async () => {
  const { outbox, events } = data.stores(account);
  await outbox.publish(events, { ms: 0 });
  const seen: number[] = [];
  const isNeeded = () => seen.push(transactions) < 2;
  expect((await outbox.publish(events, { isNeeded })).published).toBe(99);
  // The predicate was asked once, before the transaction.
  expect(seen.slice(0, 2)).toEqual([1, 2]);
});

test('rows that are events already and fill the front: deleted, and the changes behind them follow', async () => {
  rowBytes = PAGE_BYTES / 80;
  isDeletionLost = true;
  const { outbox, events } = data.stores(account);
  const { head } = await outbox.publish(events, { ms: 0 });
  expect([head.sequence, deleted]).toEqual([80, 0]);
  isDeletionLost = false;
  const next = await outbox.publish(events, { ms: 150, head });
  expect([next.head.sequence, deleted]).toEqual([240, 240]);
});

test('a page that needs the last change: unavailable, but each call appends more [CONTRACT §14]', async () => {
  const { outbox, events } = await publishSome();
  transactionMs = 2000;
  for (const before of [1, 6]) {
    jest.setSystemTime(Date.now() + MINUTE_MS);
    data.calls.clear();
    const reading = readFeed({ ...page, order: 'descending' }, outbox, events);
    await expect(reading).rejects.toMatchObject({ code: 'unavailable', details: TOO_MANY });
    expect(transactions).toBe(before + 5);
    // Asked before and after the transactions: no transaction can complete the page.
    expect(data.calls.get('QueryCommand')).toBe(2);
  }
});

test('a stream worker that meets the backlog: it ends after its turn, and wakes the endpoints', async () => {
  const read: unknown[] = [];
  const { outbox, events } = data.stores(account);
  const webhookEndpoints = { list: async () => read.push('list') && { rows: [] } };
  const worker = publishChanges as StreamWorker<unknown>;
  const handle = () =>
    worker.handle(
      { now: () => new Date().toISOString() } as WorkerContext,
      { outbox, events, webhookEndpoints },
      account,
    );
  await handle();
  expect([transactions, read]).toEqual([5, ['list']]);
  // The sequencer does not wait, as if another sequencer had published these changes: the records of other accounts
  // wait for it.
  await handle();
  expect(transactions).toBe(10);
});

test('transactions that DynamoDB throttles: the sequencer continues, and appends no change twice', async () => {
  const { outbox, events } = data.stores(account);
  throttled = 3;
  const { published } = await outbox.publish(events, { ms: 1000 });
  expect([published, (await outbox.readHead()).sequence]).toEqual([deleted, deleted]);
  expect([throttled <= 0, published > 0]).toEqual([true, true]);
});
