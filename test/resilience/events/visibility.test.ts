import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { isDeep, partOf } from '#test/support/extent/extent.ts';
import { fault } from '#test/support/faults/faults.ts';
import { HiddenItems, type ReadItem } from '#test/support/faults/hidden-items.ts';
import type { Answer } from '#test/support/service/client.ts';
import { runLater, stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { until } from '#test/support/waiting/until.ts';

/*
 * DynamoDB reads each item of a query on its own, so a reader may see an event before its predecessor, before its
 * resource, or before its change leaves the outbox. An index may lag. A reader of the feed must not notice (CONTRACT
 * §14).
 */

const COUNT = 5;

let make: Makers;
/** The events of the account, all readable. */
let events: Answer['json'][];

const service = await startService();
const items = new HiddenItems(service.client);
afterAll(() => service.stop());
beforeEach(async () => {
  make = makers(service, { account: newAccount() });
  for (let i = 0; i < COUNT; i++) await make.customer();
  events = (await list('')).data;
});
afterEach(() => items.hide());

const list = (query: string): Promise<Answer['json']> => make.get(`/v1/events?${query}`);

/** Hides one event in the first responses that contain it. */
const hideEvent = (id: number, times = 1, where: (item: ReadItem) => boolean = () => true): void => {
  let left = times;
  items.hide((item) => item.table === 'events' && item.id === id && where(item) && left-- > 0);
};

const QUERIES = [
  'limit=100',
  'limit=2',
  'limit=1',
  'limit=100&sort=-id',
  'limit=2&sort=-id',
  'created_from=2026-01-01T00:00:00Z',
  'created_from=2026-01-01T00:00:00Z&created_before=2090-01-01T00:00:00Z&limit=2&sort=-id',
  'type=customer.created',
  'type=customer.created&limit=2',
  'type=customer.created&limit=2&sort=-id',
];

describe('an event that a read does not show', () => {
  test.each(partOf(QUERIES, 4))('GET /events?%s: the walk has every event, whichever is hidden', async (query) => {
    const path = `/v1/events?${query}${query.includes('limit') ? '' : '&limit=100'}`;
    const expected = query.includes('sort') ? events.toReversed() : events;
    for (const { id } of partOf(events, 8)) {
      for (const times of isDeep ? [1, 2, 4] : [1, 3]) {
        hideEvent(id, times);
        expect([id, await make.list(path)]).toEqual([id, expected]);
        expect(items.ids).toContain(id);
      }
    }
  });

  test.each(['page=1&per_page=2', 'page=2&per_page=2', 'page=2&per_page=2&sort=-id'])(
    'GET /events?%s: the page and total_count are as without the fault',
    async (query) => {
      const expected = await list(query);
      for (const { id } of events) {
        hideEvent(id);
        expect([id, await list(query)]).toEqual([id, expected]);
      }
    },
  );

  test('two events that stay hidden: 503, and never a page with a gap', async () => {
    const [, second, , fourth] = events;
    let reads = 0;
    items.hide(({ table, id }) => {
      const isHidden = table === 'events' && [second.id, fourth.id].includes(id);
      // After this time, a read no longer waits.
      if (isHidden && ++reads === 10) jest.setSystemTime(Date.now() + 10_000);
      return isHidden;
    });
    stopClock();
    const answer = await make.send('GET', '/v1/events');
    jest.useRealTimers();
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    expect(reads).toBeGreaterThanOrEqual(10);
    // Before the gap, the page is complete.
    expect((await list('limit=1')).data).toEqual([events[0]]);
  });

  test('an index that does not contain the last events: a filtered list contains them', async () => {
    items.hide(({ table, index }) => table === 'events' && index !== undefined);
    for (const query of ['type=customer.created', `resource_id=${events[2].resource_id}&type=customer.created`])
      expect((await list(query)).data).toEqual(events.filter((_, i) => query.startsWith('type') || i === 2));
  });

  test('events older than the lag of an index, by type: a walk in either order has each once [CONTRACT §14]', async () => {
    await runLater(1, async () => {
      expect(await make.list('/v1/events?type=customer.created&limit=1')).toEqual(events);
      expect(await make.list('/v1/events?type=customer.created&limit=1&sort=-id')).toEqual(events.toReversed());
    });
  });
});

describe('an event that a read of a window of time does not show', () => {
  // A filtered page in offset style may lag (CONTRACT §5).
  const STYLES = ['limit=100', 'limit=2', 'limit=100&sort=-id', 'page=1&per_page=2', 'page=1&sort=-id'];
  const QUERIES = [
    ...STYLES.map((style) => `created_before=3&${style}`),
    ...STYLES.map((style) => `created_from=1&created_before=3&${style}`),
    ...STYLES.slice(0, 3).map((style) => `created_before=4&type=customer.created&${style}`),
  ];

  beforeEach(async () => {
    make = makers(service, { account: newAccount() });
    for (let i = 0; i < COUNT; i++) {
      await make.customer();
      events = (await list('')).data;
      // Events of one millisecond are in the same windows.
      const last = Date.now();
      await until(() => Date.now() > last);
    }
  });

  test.each(partOf(QUERIES, 4))(
    'GET /events?%s (from or before this event): the page is as without the fault, whichever is hidden',
    async (template) => {
      const query = template.replace(/(created_\w+)=(\d)/g, (_, name, i) => `${name}=${events[i].created_at}`);
      const expected = await list(query);
      expect(expected.data.length).toBeGreaterThan(1);
      for (const { id } of events) {
        for (const times of [1, 3]) {
          hideEvent(id, times);
          expect([id, await list(query)]).toEqual([id, expected]);
        }
      }
    },
  );
});

describe('a resource that is not readable yet', () => {
  test('expand=resource: reads it again until it has the version of the event', async () => {
    const [{ id, resource_id }] = events;
    for (const target of ['/v1/events', `/v1/events/${id}`]) {
      items.hide((item) => item.table === 'customers' && item.id === resource_id);
      const { json } = await make.send('GET', `${target}?expand=resource`);
      expect((json.data?.[0] ?? json).resource).toMatchObject({ id: resource_id, name: 'Ada' });
      expect(items.ids).toEqual([resource_id]);
    }
  });
});

test('a commit that the first read of the outbox does not show: its event precedes the event of the next commit', async () => {
  const { resource_id } = events[0];
  for (const name of ['Bob', 'Cyd', 'Dan']) await make.send('PATCH', `/v1/customers/${resource_id}`, { name });
  const [, { id: missing } = {}] = (await rowsOf(service, 'outbox', make.account_id)).filter((row) => 'changes' in row);
  let left = 1;
  items.hide(({ table, id }) => table === 'outbox' && id === missing && left-- > 0);
  const versions = (await list(`resource_id=${resource_id}`)).data.map(({ version }: Answer['json']) => version);
  expect([items.ids, versions]).toEqual([[missing], [1, 2, 3, 4]]);
});

describe('a transaction of another sequencer that is readable only in part', () => {
  test('its head and its events are not readable: a client still reads its own write', async () => {
    const { id: customer } = await make.customer();
    const inFlight = holdNextTransaction();
    const other = make.send('GET', '/v1/events');
    const hidden = await inFlight.committed;
    const read = make.send('GET', '/v1/events');
    await inFlight.conflicted;
    inFlight.release();
    const { data } = (await read).json;
    expect([hidden, data.at(-1).resource_id, data.length]).toEqual([1, customer, COUNT + 1]);
    await other;
    expect(await list('')).toMatchObject({ data });
  });

  /** The next transaction is committed, but until it is released, other calls read no part of it and conflict with it. */
  const holdNextTransaction = () => {
    const { promise: committed, resolve } = Promise.withResolvers<number>();
    const { promise: conflicted, resolve: meet } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let state: 'waiting' | 'held' | 'released' = 'waiting';
    let before: unknown[] = [];
    service.client.middlewareStack.add(
      (next, context) => async (call) => {
        const input = call.input as { TableName?: string; TransactItems?: { Put?: { TableName: string } }[] };
        const isTransaction = context.commandName === 'TransactWriteItemsCommand';
        if (isTransaction && state === 'held') {
          meet();
          throw conflict(input.TransactItems?.length ?? 0);
        }
        if (state === 'released' || (!isTransaction && state === 'waiting')) {
          const result = await next(call);
          if (state === 'waiting' && input.TableName === 'outbox')
            before = (result.output as unknown as { Items: unknown[] }).Items;
          return result;
        }
        if (!isTransaction) return readBefore(await next(call), input.TableName);
        const result = await next(call);
        const puts = input.TransactItems?.filter(({ Put }) => Put?.TableName === 'events') ?? [];
        state = 'held';
        const known = new Set(events.map(({ id }) => id));
        items.hide(({ table, id }) => table === 'events' && !known.has(id));
        resolve(puts.length);
        await released;
        state = 'released';
        items.hide();
        return result;
      },
      { step: 'finalizeRequest', priority: 'low', name: `hold ${randomUUID()}` },
    );
    // The head is the last item of the outbox.
    const readBefore = <T extends { output: object }>(result: T, table: string | undefined): T => {
      const output = result.output as { Items?: unknown[] };
      if (table === 'outbox' && output.Items) output.Items = [...output.Items.slice(0, -1), before.at(-1)];
      return result;
    };
    return { committed, conflicted, release };
  };

  const conflict = (items: number): Error => {
    const CancellationReasons = Array.from({ length: items }, () => ({ Code: 'TransactionConflict' }));
    return fault('TransactionCanceledException', {
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
      CancellationReasons,
    });
  };
});
