import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { behaviors, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { forEachLoad, type Load, percentile, print, tally } from './support/load.ts';

/*
 * L2: an account whose changes wait. At a scale of 1/25, 10,000 rows of double size take as long to read as 500,000 on AWS: 14 seconds.
 * All of them would take 17 minutes to publish, so the scenario observes the first seconds.
 */

const WAITING = 10_000;
const SCALE = 1 / 25;
/** About 40 KB of the outbox. */
const PAGE_ROWS = 64;
const RUN_MS = 20_000;
const MAX_MS = 2000;
/** Makes a row as large as two. */
const ACTOR = `auth0|${'0'.repeat(330)}`;
const HOUR_MS = 3_600_000;
/** Two hundred changes a second: a partition of DynamoDB accepts no more with their rows. */
const ID_STEP = 5 * IDS_PER_MILLISECOND;

let load: Load;
forEachLoad((started) => {
  load = started;
});

const putWaiting = (account: string, resource_id: number): Promise<void> => {
  const first = createId(new Date(Date.now() - HOUR_MS).toISOString(), 0);
  const change = { type: 'customer.updated', resource_type: 'customer', resource_id, version: 2, changed: ['name'] };
  const rows = Array.from({ length: WAITING }, (_, i) => ({
    ...{ id: first + ID_STEP * i, actor: ACTOR, request_id: randomUUID(), changes: [change] },
  }));
  return load.put('outbox', account, rows);
};

interface Repeated<T> {
  /** Of the actions that have ended. */
  readonly results: readonly T[];
  readonly end: () => Promise<void>;
}

const repeat = <T>(pauseMs: number, act: () => Promise<T>): Repeated<T> => {
  const results: T[] = [];
  const progress = { isOver: false };
  const loop = (async () => {
    while (!progress.isOver) {
      results.push(await act());
      await sleep(pauseMs);
    }
  })();
  const end = () => {
    progress.isOver = true;
    return loop;
  };
  return { results, end };
};

/** Follows the feed of an account; gives the status and the number of events of each read. */
const follow = (account: Account) => {
  let after = '';
  return repeat(500, async () => {
    const { status, json } = await account.call('GET', `/v1/events?limit=100${after}`);
    if (status !== 200) return { status, events: 0 };
    if (json.next_cursor) after = `&after=${json.next_cursor}`;
    return { status, events: json.data.length as number };
  });
};

/** The time until an event of another account is in its feed and dispatched. */
const createOther = async (): Promise<number> => {
  const other = load.service.account();
  const begin = performance.now();
  await other.createCustomer();
  await load.service.dispatch(other.id);
  const { json } = await other.call('GET', '/v1/events');
  return json.data?.length === 1 ? performance.now() - begin : Number.POSITIVE_INFINITY;
};

test(`${WAITING} waiting changes of an account: published at its throughput, while all other work continues`, async () => {
  const { service } = load;
  const account = service.account();
  const receiver = await startReceiver(behaviors.ok);
  const customer = await account.createCustomer();
  await account.createEndpoint(receiver, { event_types: ['customer.updated'] });
  await account.call('GET', '/v1/events');
  await putWaiting(account.id, customer);
  await service.queue.purge();
  load.limit({ scale: SCALE, pageRows: PAGE_ROWS });
  const runs = repeat(100, () => service.dispatch(account.id));
  const others = repeat(500, createOther);
  const reads = follow(account);
  const deliveries = repeat(100, service.drain);
  await sleep(RUN_MS);
  const isOwn =
    (table: string) =>
    ({ name, value }: { name: string; value: string }) =>
      name === table && value === account.id;
  const used = load.used('write', isOwn('events')) / ((RUN_MS / 1000) * 1000 * SCALE);
  const outboxReads = load.used('read', isOwn('outbox'));
  const read = reads.results.reduce((sum, { events }) => sum + events, 0);
  const p99 = Math.round(percentile(others.results, 0.99));
  const sent = receiver.requests.length;
  const statuses = tally(reads.results.map(({ status }) => status));
  print({
    used,
    runs: runs.results.length,
    outboxReads,
    read,
    statuses,
    sent,
    others: { p99, count: others.results.length },
  });
  // Without limits, the actions in progress end soon.
  load.limit();
  await Promise.all([runs, others, reads, deliveries].map(({ end }) => end()));
  await receiver.close();
  expect(used).toBeGreaterThanOrEqual(0.9);
  expect(read).toBeGreaterThan(40);
  expect(sent).toBeGreaterThan(0);
  expect(others.results.length).toBeGreaterThan(1);
  expect(p99).toBeLessThanOrEqual(MAX_MS);
}, 120_000);
