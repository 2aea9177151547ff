import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { watchUpdates } from '#test/support/faults/watch-updates.ts';
import { type Behavior, behaviors, during } from '#test/support/receivers/webhook-receivers.ts';
import { putRows } from '#test/support/state/put-rows.ts';
import {
  account,
  createEndpoint,
  createFailing,
  createWithEvents,
  HOUR,
  MINUTE,
  move,
  receiver,
  sequences,
  service,
  sorted,
  statuses,
  useWebhooks,
  work,
} from './pumps.ts';

/* What waits for an endpoint, and changes of the endpoint while a pump has its lease (CONTRACT §15). */

useWebhooks();

/** An endpoint with five failures. */
const failing = (probe_at: number) => ({ failures: 5, failing_since: Date.now() - MINUTE, probe_at });

test('a probe that is due, behind more than a page of events of other types: it is sent at once', async () => {
  const id = await createEndpoint();
  const customer = await account.createCustomer();
  await service.dispatch(account.id);
  await service.drain();
  for (let i = 0; i < 110; i++) await account.send('PATCH', `/v1/customers/${customer}`, { name: `n${i}` });
  await account.createCustomer();
  // A page by number publishes all of them.
  await account.send('GET', '/v1/events?page=1');
  await move(id, failing(Date.now() - 1));
  await work(id);
  expect([receiver.requests.length, await statuses()]).toEqual([2, ['succeeded', 'succeeded']]);
});

test('changes of the endpoint before each commit of a pump: it gives up in time, and another one follows', async () => {
  const id = await createEndpoint();
  await account.createEvents(1);
  let commits = 0;
  const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', async (attributes) => {
    if (!attributes.includes('position')) return;
    commits += 1;
    await account.patchEndpoint(id, { description: `${commits}` });
    if (commits === 3) service.moveClock(MINUTE - 4000);
  });
  await work(id);
  stop();
  expect([commits, await account.storedEndpoint()]).toEqual([
    3,
    expect.objectContaining({ lease_until: 0, position: 0 }),
  ]);
  await service.reconcileAfter(2 * MINUTE);
  expect([receiver.requests.length, await statuses()]).toEqual([2, ['succeeded']]);
});

/** The most deliveries of a step, and the most attempts at the same time. */
const MOST = 10;
const WAITING = 26;

/** Waits for as many requests, acts, and responds to all of them: no other work of theirs is in progress meanwhile. */
const together = (count: number, act: () => unknown, behavior: Behavior = behaviors.ok): Behavior => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return async (...exchange) => {
    arrived += 1;
    if (arrived === count) {
      await act();
      resolve();
    }
    await promise;
    behavior(...exchange);
  };
};

/** The number of requests before the backlog is sent. */
let before = 0;

/** More deliveries that are due than a step has, and an event that was not sent yet. */
const createBacklog = async (): Promise<number> => {
  const id = await createFailing(1);
  const [waiting] = await account.storedDeliveries();
  const copies = Array.from({ length: WAITING }, (_, i) => {
    const copy = { ...waiting, id: Number(waiting?.['id']) + i };
    return { ...copy, ...indexKeys(tables.webhookDeliveries, account.id, copy) };
  });
  await putRows(service.client, 'webhookDeliveries', copies);
  await account.createCustomer();
  await account.send('GET', '/v1/events?page=1');
  service.moveClock(7000);
  before = receiver.requests.length;
  return id;
};

const requests = () => receiver.requests.slice(before);

test('deliveries that are due, and an event: one turn sends all of them, at most ten at a time, the event in its first step [CONTRACT §15]', async () => {
  const id = await createBacklog();
  let open = 0;
  let most = 0;
  receiver.behavior = async (...exchange) => {
    open += 1;
    most = Math.max(most, open);
    await setTimeout(20);
    open -= 1;
    behaviors.ok(...exchange);
  };
  await work(id);
  expect(await statuses()).toEqual(Array(WAITING + 1).fill('succeeded'));
  expect([most, sequences(before).indexOf(3) < MOST]).toEqual([MOST, true]);
});

test.each([
  ['fails', behaviors.failing, { failures: 5 }],
  ['is gone', behaviors.gone, { status: 'disabled', disabled_reason: 'gone' }],
])(
  'more than a step, for a receiver that %s: no attempt begins after that is known [CONTRACT §15]',
  async (_, behavior, after) => {
    const id = await createBacklog();
    await account.createEvents(MOST);
    receiver.behavior = together(MOST, () => {}, behavior);
    await work(id);
    await service.drain();
    const { length } = requests();
    const endpoint = await account.storedEndpoint();
    expect([length >= MOST, length < MOST + 5, endpoint]).toMatchObject([true, true, after]);
    receiver.behavior = behaviors.ok;
    if (endpoint['status'] === 'disabled') await account.patchEndpoint(id, { status: 'enabled' });
    await service.passUntil(account, Math.max(Date.now(), Number(endpoint['probe_at'])) + 7 * MINUTE);
    expect(await statuses()).toEqual(Array(WAITING + 1 + MOST).fill('succeeded'));
  },
);

test('a test of an endpoint that fails, with many deliveries that are due: it alone is sent [CONTRACT §15]', async () => {
  const id = await createBacklog();
  const health = failing(Date.now() + HOUR);
  await move(id, health);
  // A PATCH with the same URL keeps the health.
  await account.patchEndpoint(id, { url: receiver.url, description: 'new' });
  await account.act(`webhook-endpoints/${id}/test`);
  receiver.behavior = behaviors.failing;
  await work(id);
  // Its second attempt waits like those of the others.
  await service.passUntil(account, Date.now() + 10_000);
  expect([sequences(before), await account.storedEndpoint()]).toMatchObject([[null], health]);
});

test.each<[string, (id: number) => Promise<unknown>]>([
  ['a change of the endpoint', (id) => account.patchEndpoint(id, { description: 'new' })],
  ['a rewind that changes nothing', (id) => account.act(`webhook-endpoints/${id}/rewind`, { sequence: 1000 })],
])('%s while deliveries that are due are sent: each is sent once [CONTRACT §15]', async (_, change) => {
  const id = await createBacklog();
  receiver.behavior = together(MOST, () => change(id));
  await work(id);
  await service.drain();
  expect([requests().length, await statuses()]).toEqual([WAITING + 1, Array(WAITING + 1).fill('succeeded')]);
});

test('a new URL while deliveries that are due are sent: the others are sent to it [CONTRACT §15]', async () => {
  const id = await createBacklog();
  const change = async () => {
    receiver.behavior = (request, response) =>
      (request.url === '/new' ? behaviors.ok : behaviors.failing)(request, response);
    await account.patchEndpoint(id, { url: `${receiver.url}/new` });
  };
  receiver.behavior = together(MOST, change, behaviors.failing);
  await work(id);
  await service.drain();
  expect(await account.storedEndpoint()).toMatchObject({ failures: 0 });
  const { length } = requests().filter(({ path }) => path === '/new');
  expect([length > WAITING + 1 - MOST - 5, length <= WAITING + 1 - MOST]).toEqual([true, true]);
});

test('more deliveries are retried than a step has, while others are sent: each is sent once [CONTRACT §15]', async () => {
  const id = await createBacklog();
  receiver.behavior = behaviors.ok;
  await work(id);
  const ended = await account.storedDeliveries();
  const retry = (rows: typeof ended) =>
    Promise.all(rows.map((row) => account.act(`webhook-deliveries/${row['id']}/retry`)));
  before = receiver.requests.length;
  await retry(ended.slice(-3));
  receiver.behavior = together(3, () => retry(ended.slice(0, -3)));
  await work(id);
  await service.drain();
  expect([requests().length, new Set(await statuses())]).toEqual([ended.length, new Set(['succeeded'])]);
});

test('a delivery whose event is lost: canceled, and the others are sent', async () => {
  const id = await createBacklog();
  const [lost] = await account.storedDeliveries();
  const orphan = { ...lost, event_id: 7, version: 2 };
  await putRows(service.client, 'webhookDeliveries', [orphan]);
  receiver.behavior = behaviors.ok;
  await work(id);
  expect(await statuses()).toEqual(['canceled', ...Array(WAITING).fill('succeeded')]);
  expect((await account.storedDeliveries())[0]).toMatchObject({ attempts: lost?.['attempts'] });
});

test('a failure that is stored while a request changes the URL: the request decides again', async () => {
  const id = await createEndpoint();
  const race = interleave(service.client);
  const { url } = await race(
    () => move(id, failing(Date.now() + MINUTE)),
    () => account.patchEndpoint(id, { url: `${receiver.url}/new` }),
  );
  expect(await account.storedEndpoint()).toMatchObject({ url, failures: 0, probe_at: 0 });
});

test('a rewind while a batch is sent: the events after it are sent again [CONTRACT §15]', async () => {
  const id = await createEndpoint();
  await account.createEvents(2);
  await service.drain();
  receiver.behavior = during(1, () => account.act(`webhook-endpoints/${id}/rewind`, { sequence: 2 }));
  await account.createEvents(1);
  await service.drain();
  expect(sequences()).toEqual([2, 3, 4, 3, 4]);
});

test('a rewind of an endpoint that has not started, while a batch is sent: the events before its creation are sent, too [CONTRACT §15]', async () => {
  await account.createEvents(1);
  // Not published yet, so the position of the endpoint is before it, and the rewind does not change it.
  await account.createCustomer();
  const id = await createEndpoint();
  receiver.behavior = during(1, () => account.act(`webhook-endpoints/${id}/rewind`, { sequence: 1 }));
  // More than a batch: the turn does not end with the first one.
  await account.createEvents(25);
  await service.drain();
  expect(sequences()).toContain(2);
});

test('disabled while a batch is sent, then enabled: what was sent has a delivery, and the rest follows [CONTRACT §15]', async () => {
  const id = await createEndpoint();
  receiver.behavior = during(3, () => account.patchEndpoint(id, { status: 'disabled' }));
  await account.createEvents(30);
  await service.drain();
  const { length } = receiver.requests;
  expect([length < 30, await statuses()]).toEqual([true, Array(length).fill('succeeded')]);
  await account.patchEndpoint(id, { status: 'enabled' });
  await service.drain();
  expect(sorted(sequences())).toEqual(Array.from({ length: 30 }, (_, i) => i + 2));
  expect(await statuses()).toHaveLength(30);
});

test('410 of an endpoint that was disabled meanwhile: its reason stays [CONTRACT §15]', async () => {
  const id = await createWithEvents(1);
  receiver.behavior = during(1, () => account.patchEndpoint(id, { status: 'disabled' }), behaviors.gone);
  await work(id);
  expect(await account.storedEndpoint()).toMatchObject({ disabled_reason: 'requested', version: 2 });
});

test('a second failure 120 hours after the first one: disabled as failing [CONTRACT §15]', async () => {
  const id = await createFailing(1);
  await move(id, { failing_since: Date.now() - 120 * HOUR });
  await service.nextStep(account);
  expect(await account.storedEndpoint()).toMatchObject({ disabled_reason: 'failing', failures: 1 });
});

test('deleted while an event and deliveries are sent: they are canceled by the same pump, and no delivery is stored [CONTRACT §15]', async () => {
  const id = await createBacklog();
  receiver.behavior = together(MOST, async () => {
    await account.send('DELETE', `/v1/webhook-endpoints/${id}`);
    await service.queue.purge();
  });
  await work(id);
  expect(await statuses()).toEqual(Array(WAITING).fill('canceled'));
});
