import { afterAll, beforeEach, expect, jest, test } from '@jest/globals';
import publish from '#functions/workers/publish-waiting-changes.ts';
import { rowChecksOf } from '#local/app.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import type { ScheduledWorker, WorkerContext } from '#shared/platform/declarations/worker.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import { createS3Client } from '#shared/platform/files/files.ts';
import { firstIdAt } from '#shared/platform/id.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import { tableNames } from '#shared/runtime/settings.ts';
import { PATIENCE_MS } from '#test/support/engine/patience.ts';
import { injectFaults } from '#test/support/faults/faults.ts';
import { interrupt } from '#test/support/faults/interleave.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { checkFeed } from '#test/support/state/check-feed.ts';
import { rowsOf, scan } from '#test/support/state/invariants.ts';
import { putRows } from '#test/support/state/put-rows.ts';

let reports: string[] = [];
let counts: [metric: string, value: number | undefined][] = [];
/** Added to the clock of the worker, in milliseconds. */
let later: number;
let remaining: number;

const service = await startService();
const interruptAt = interrupt(service.client);
const faults = injectFaults(service.client);
afterAll(() => service.stop());
beforeEach(async () => {
  faults.plan();
  later = 0;
  remaining = 60_000;
  // Publishes the waiting changes of the previous test.
  await run();
  reports = [];
  counts = [];
});

const { client, environment } = service;
const context = { client, tableNames: tableNames(environment, publish), ...rowChecksOf(publish) };
const storesOf = createStores(context);

/** Runs the worker once. */
const run = async (): Promise<void> => {
  const startedAt = Date.now();
  const across = new CrossAccountQueries(context, createS3Client(), 'none', new AbortController().signal);
  const accounts = { across, storesOf };
  const workerContext = {
    now: () => new Date(Date.now() + later).toISOString(),
    remaining: () => remaining - (Date.now() - startedAt),
    report: (message: string) => reports.push(message),
    count: (metric: string, value?: number) => counts.push([metric, value]),
  };
  const worker = publish as ScheduledWorker<typeof accounts>;
  await worker.handle(workerContext as unknown as WorkerContext, accounts);
};

/** Creates customers in new accounts, which nobody reads; returns the accounts. */
const change = async (accounts: number, customers: number): Promise<string[]> => {
  const names = Array.from({ length: accounts }, newAccount);
  await Promise.all(
    names.map(async (account_id) => {
      for (let i = 0; i < customers; i++) await makers(service, { account: account_id }).customer();
    }),
  );
  return names;
};

const waitingRows = async () => (await scan(service, 'outbox')).filter(({ changes }) => changes !== undefined);

test('changes of 40 accounts that nobody reads: a run makes all of them events [CONTRACT §14]', async () => {
  const accounts = await change(40, 3);
  await run();
  expect([await waitingRows(), reports]).toEqual([[], ['published']]);
  expect(counts).toEqual([
    ['OutboxesOverdue', 0],
    ['EventsPublished', 120],
  ]);
  for (const account of accounts) expect(await checkFeed(service, account)).toBe(3);
});

test('more changes than one request can publish: 503 with the reason, and the next request continues [CONTRACT §14]', async () => {
  const [account_id = ''] = await change(1, 120);
  stopClock();
  try {
    faults.plan(({ command }) => {
      if (command === 'TransactWriteItemsCommand') jest.setSystemTime(Date.now() + 10_000);
      return undefined;
    });
    const request = { as: { account: account_id } };
    const { status, json } = await service.send('/v1/events?page=1', request);
    expect([status, json.detail]).toEqual([503, 'Too many changes are waiting.']);
    expect((await service.send('/v1/events?page=1', request)).json.total_count).toBe(120);
  } finally {
    jest.useRealTimers();
  }
  expect(await checkFeed(service, account_id)).toBe(120);
});

const publishAccount = async (account: string): Promise<void> => {
  const { outbox, events } = storesOf(account);
  await outbox.publish(events);
};

test('another sequencer while one waits for units: that one sends no second transaction, which would use units', async () => {
  const [account = ''] = await change(1, 1);
  faults.plan(({ number }) => (number === 3 ? 'throttling' : undefined));
  await interruptAt(
    4,
    () => publishAccount(account),
    () => publishAccount(account),
  );
  expect(faults.attempts.filter((command) => command === 'TransactWriteItemsCommand')).toHaveLength(2);
  expect(await checkFeed(service, account)).toBe(1);
});

const FIRST = firstIdAt(Date.now() - 3_600_000);

/** Rows of an outbox with ids of an hour ago: for each, the resource and its version. */
const putWaiting = async (
  account_id: string,
  rows: readonly (readonly [resource_id: number, version: number])[],
  first = FIRST,
) => {
  const Items = rows.map(([resource_id, version], i) => {
    const change = { type: 'customer.updated', resource_type: 'customer', resource_id, version, changed: ['name'] };
    const origin = { actor: 'user_1', request_id: 'r' };
    return { account_id, id: first + i, write_id: `write ${i}`, changes: [change], ...origin };
  });
  await putRows(client, 'outbox', Items);
};
/** More rows than the front of an outbox. */
const MANY = 500;
const others = Array.from({ length: MANY }, (_, i) => [i + 2, 2] as const);

test('a change whose predecessor is behind the front, and a lost deletion: each event once, in order [CONTRACT §14]', async () => {
  const account_id = newAccount();
  await putWaiting(account_id, [[1, 3], ...others, [1, 2]]);
  const { outbox, events } = storesOf(account_id);
  faults.plan(({ command }) => (command === 'DeleteItemCommand' ? 'crash-before' : undefined));
  const { head } = await outbox.publish(events, { ms: 0 });
  faults.plan();
  await outbox.publish(events, { head, ms: PATIENCE_MS });
  const feed = (await rowsOf(service, 'events', account_id)) as unknown as EventRow[];
  expect(feed.map(({ sequence }) => sequence)).toEqual(Array.from({ length: MANY + 2 }, (_, i) => i + 1));
  const mine = feed.filter(({ resource_id }) => resource_id === 1);
  expect(mine.map(({ resource_version }) => resource_version)).toEqual([2, 3]);
});

test('a row that another sequencer publishes after the front was read, and a lost deletion: one event [CONTRACT §14]', async () => {
  const account_id = newAccount();
  await putWaiting(account_id, others);
  const { outbox, events } = storesOf(account_id);
  const publishOther = async () => {
    await putWaiting(account_id, [[1, 2]], FIRST - 1);
    faults.plan(({ command }) => (command === 'DeleteItemCommand' ? 'crash-before' : undefined));
    await storesOf(account_id).outbox.publish(events, { ms: 0 });
    faults.plan();
  };
  const { response } = await interruptAt(2, publishOther, () => outbox.publish(events, { ms: 0 }));
  expect(response.head.sequence).toBe(2 * 99);
  await outbox.publish(events, { head: response.head, ms: PATIENCE_MS });
  expect(await rowsOf(service, 'events', account_id)).toHaveLength(MANY + 1);
});

test('a backlog that takes several turns of a run: each begins at once, although the head is recent', async () => {
  const account_id = newAccount();
  await putWaiting(account_id, [...others, ...others.map(([id]) => [id, 3] as const)]);
  stopClock();
  try {
    faults.plan(({ command }) => {
      if (command === 'TransactWriteItemsCommand') jest.setSystemTime(Date.now() + 2000);
      return undefined;
    });
    await run();
  } finally {
    jest.useRealTimers();
  }
  expect(await rowsOf(service, 'events', account_id)).toHaveLength(2 * MANY);
  // Two turns with a front that is not whole read the head after it, and again before the first transaction. Three turns
  // read it when they end before the backlog does, to wake the endpoints.
  expect(faults.attempts.filter((command) => command === 'GetItemCommand')).toHaveLength(2 * 2 + 3);
});

test('older changes that hide the requested one from a sequencer that has lost a race: it publishes all changes [CONTRACT §14]', async () => {
  const [account_id = ''] = await change(1, 1);
  let isLost = false;
  faults.plan(({ command }) => {
    if (command !== 'TransactWriteItemsCommand' || isLost) return undefined;
    isLost = true;
    jest.setSystemTime(Date.now() + 2000);
    return 'throttling';
  });
  stopClock();
  try {
    await interruptAt(
      3,
      () => putWaiting(account_id, others),
      () => publishAccount(account_id),
    );
  } finally {
    jest.useRealTimers();
  }
  expect(await rowsOf(service, 'events', account_id)).toHaveLength(MANY + 1);
});

test('nothing waits: the run reports nothing, and counts no overdue account', async () => {
  await run();
  expect([reports, counts]).toEqual([[], [['OutboxesOverdue', 0]]]);
});

test('accounts that cannot be published: overdue after a minute, and published by the next run', async () => {
  await change(2, 1);
  faults.plan(({ command }) => (command.startsWith('TransactWrite') ? 'crash-before' : undefined));
  await run();
  expect([reports, counts]).toEqual([['not published', 'not published'], [['OutboxesOverdue', 0]]]);
  counts = [];
  later = 61_000;
  await run();
  expect(counts).toEqual([['OutboxesOverdue', 2]]);
  faults.plan();
  await run();
  expect([await waitingRows(), counts.slice(1)]).toEqual([
    [],
    [
      ['OutboxesOverdue', 0],
      ['EventsPublished', 2],
    ],
  ]);
});

test("a run that ends within an account's turn: begins no other transaction in its last seconds", async () => {
  const account_id = newAccount();
  const item = { description: 'Work', unit_amount_cents: 100 };
  // The events of both commits do not fit one transaction.
  for (const count of [9, 90]) {
    await makers(service, { account: account_id }).create('invoices', {
      items: Array.from({ length: count }, () => item),
    });
  }
  remaining = 6000;
  stopClock();
  try {
    faults.plan(({ command }) => {
      if (command === 'TransactWriteItemsCommand') jest.setSystemTime(Date.now() + 2000);
      return undefined;
    });
    await run();
  } finally {
    jest.useRealTimers();
  }
  expect([(await rowsOf(service, 'events', account_id)).length, reports]).toEqual([10, ['published']]);
});

test('a run without time left: publishes nothing, and does not report that no account is late', async () => {
  // More accounts than a run handles at the same time.
  await change(40, 1);
  remaining = 1000;
  await run();
  expect([(await waitingRows()).length, counts]).toEqual([40, []]);
});
