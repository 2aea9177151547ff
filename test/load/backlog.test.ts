import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { MARGIN_MS } from '#shared/platform/jobs/turns.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { DYNAMODB_LIMITS } from './engine/limits.ts';
import { forEachLoad, type Load, percentile, print, tally } from './support/load.ts';

/*
 * An account whose changes wait. At a scale of 1/25, 3,000 rows of double size take as long to read as 150,000 on AWS: five seconds.
 * All of them would take minutes to publish, so the scenario observes the first half minute. A larger scale needs more of the processor.
 */

const WAITING = 3000;
const SCALE = 1 / 25;
/**
 * A transaction takes the rows of a page, whose units take half a second. A refused one follows after two seconds at most
 * (backoff.ts), so each window has a transaction.
 */
const PAGE_ROWS = 10;
const WINDOW_MS = 3000;
const WINDOWS = 10;
const RUN_MS = WINDOWS * WINDOW_MS;
/** Each of them publishes, too. */
const READERS = 4;
/** In a transaction. */
const UNITS_OF_EVENT = 2;
/** The worker wakes the endpoints after an account's turn of 5 s and its last transaction. */
const TURN_WINDOWS = 3;
const MAX_MS = 2000;
/** Makes a row as large as two. */
const ACTOR = `auth0|${'0'.repeat(330)}`;
const HOUR_MS = 3_600_000;
/** Twenty changes a second: a step also reads those of four seconds, nine pages at this scale. */
const ID_STEP = 50 * IDS_PER_MILLISECOND;

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
    const { status, json } = await account.send('GET', `/v1/events?limit=30${after}`);
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
  const { json } = await other.send('GET', '/v1/events');
  return json.data?.length === 1 ? performance.now() - begin : Number.POSITIVE_INFINITY;
};

/** The sums of the published events and of the received deliveries at the end of each window. */
interface Progress {
  readonly published: number[];
  readonly sent: number[];
}

/** The sums that are not larger than the one before. */
const stalls = (sums: readonly number[]): number[] => sums.filter((sum, window) => sum <= (sums[window - 1] ?? 0));

/** @param begin called at the beginning of each window */
const observe = async (account: Account, receiver: Receiver, begin: (window: number) => void): Promise<Progress> => {
  const [published, sent]: [number[], number[]] = [[], []];
  const before = await load.countEvents(account.id);
  for (let window = 0; window < WINDOWS; window++) {
    begin(window);
    await sleep(WINDOW_MS);
    published.push((await load.countEvents(account.id)) - before);
    sent.push(receiver.requests.length);
  }
  return { published, sent };
};

test(`${WAITING} waiting changes of an account: published at its throughput, while all other work continues`, async () => {
  const { service } = load;
  const account = service.account();
  const receiver = await startReceiver(behaviors.ok);
  const customer = await account.createCustomer();
  await account.createEndpoint(receiver, { event_types: ['customer.updated'] });
  await account.send('GET', '/v1/events');
  await putWaiting(account.id, customer);
  await service.queue.purge();
  load.limit({ scale: SCALE, pageRows: PAGE_ROWS });
  const run = service.schedule('workers/publish-waiting-changes', RUN_MS + MARGIN_MS);
  const others = repeat(100, createOther);
  const deliveries = repeat(100, service.drain);
  let readers: readonly ReturnType<typeof follow>[] = [];
  const { published, sent } = await observe(account, receiver, (window) => {
    // A read of the feed also publishes, so in the first half only the worker does.
    if (window === WINDOWS / 2) readers = Array.from({ length: READERS }, () => follow(account));
  });
  const used = ((published.at(-1) ?? 0) * UNITS_OF_EVENT) / ((RUN_MS / 1000) * DYNAMODB_LIMITS.writeUnits * SCALE);
  const read = readers.map(({ results }) => results.reduce((sum, { events }) => sum + events, 0));
  const statuses = tally(readers.flatMap(({ results }) => results.map(({ status }) => status)));
  const p99 = Math.round(percentile(others.results, 0.99));
  print({ used, published, sent, read, statuses, others: { p99, count: others.results.length } });
  // Without limits, the actions in progress end soon.
  load.limit();
  await Promise.all([run, ...[others, deliveries, ...readers].map((one) => one.end())]);
  await receiver.close();
  expect(used).toBeGreaterThanOrEqual(0.9);
  expect(stalls(published)).toEqual([]);
  expect(Math.min(...read)).toBeGreaterThan(40);
  // A delivery needs as many units as an event.
  expect(stalls(sent.slice(TURN_WINDOWS - 1))).toEqual([]);
  expect(sent.at(-1)).toBeGreaterThanOrEqual((published.at(-1 - TURN_WINDOWS) ?? 0) / 2);
  expect(others.results.length).toBeGreaterThanOrEqual(10);
  expect(p99).toBeLessThanOrEqual(MAX_MS);
}, 120_000);
