import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import { watchUpdates } from '#test/support/faults/watch-updates.ts';
import { type Behavior, behaviors, during } from '#test/support/receivers/webhook-receivers.ts';
import { moveWebhook } from '#test/support/requests/requests.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { putRows } from '#test/support/state/put-rows.ts';

/* The health of an endpoint changes while a pump has its lease (CONTRACT §15). */

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const TYPES = { event_types: ['customer.created'] };

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;

forEachWebhookTest(behaviors.ok, (...own) => {
  [service, account, receiver] = own;
});

const stored = async () => (await rowsOf(service, 'webhookEndpoints', account.id))[0] as Record<string, unknown>;
const statuses = async () => (await rowsOf(service, 'webhookDeliveries', account.id)).map(({ status }) => status);
const work = (id: number) => service.deliver([{ account_id: account.id, webhook_endpoint_id: id }]);
const move = (id: number, change: Parameters<typeof moveWebhook>[3]) => moveWebhook(service, account.id, id, change);
/** An endpoint with five failures. */
const failing = (probe_at: number) => ({ failures: 5, failing_since: Date.now() - MINUTE, probe_at });

const createEndpoint = async (): Promise<number> => (await account.createEndpoint(receiver, TYPES)).id;

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

test('a change of the endpoint during its probe: the answer counts, and the event is sent once', async () => {
  const id = await createEndpoint();
  await account.createEvents(1);
  await move(id, failing(Date.now() - 1));
  receiver.behavior = during(1, () => account.patchEndpoint(id, { description: 'new' }));
  await work(id);
  await service.drain();
  expect([receiver.requests.length, await statuses()]).toEqual([1, ['succeeded']]);
  expect(await stored()).toMatchObject({ failures: 0, probe_at: 0 });
});

test('failures of other deliveries while a batch is sent: what was answered has a delivery, and is sent once', async () => {
  const id = await createEndpoint();
  await account.createEvents(3);
  receiver.behavior = during(1, () => move(id, failing(Date.now() + MINUTE)));
  await work(id);
  await service.drain();
  expect([receiver.requests.length, await statuses()]).toEqual([3, Array(3).fill('succeeded')]);
});

test('failures before each commit of a pump: it gives up in time, and another one follows', async () => {
  const id = await createEndpoint();
  await account.createEvents(1);
  let commits = 0;
  const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', async (attributes) => {
    if (!attributes.includes('position')) return;
    commits += 1;
    await move(id, { failures: (commits % 3) + 1 });
    if (commits === 3) service.moveClock(MINUTE - 4000);
  });
  await work(id);
  expect([commits, await stored()]).toEqual([3, expect.objectContaining({ lease_until: 0, position: 0 })]);
  stop();
  service.moveClock(2 * MINUTE);
  await service.schedule('workers/reconcile');
  await service.drain();
  expect(await statuses()).toEqual(['succeeded']);
});

test('failures of other deliveries before each try to record a failure: it is recorded', async () => {
  receiver.behavior = behaviors.failing;
  const id = await createEndpoint();
  await account.createEvents(1);
  await service.drain();
  const competing = [2, 3, 2];
  const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', async (attributes) => {
    const failures = attributes.includes('failures') && competing.shift();
    if (failures) await move(id, { failures });
  });
  await service.nextStep(account);
  expect([receiver.requests.length, competing, (await stored())['failures']]).toEqual([2, [], 3]);
  stop();
});

/** The deliveries that wait and are attempted at the same time. */
const PAGE = 10;

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

/** The first request is of the event, and the next ones of the first page of deliveries that wait. */
const duringFirstPage = (act: () => unknown, behavior?: Behavior): Behavior =>
  during(1, async () => {
    receiver.behavior = together(PAGE, act, behavior);
  });

/** Three pages of deliveries that wait, and an event that was not sent yet. */
const createRecovered = async (): Promise<number> => {
  receiver.behavior = behaviors.failing;
  const id = await createEndpoint();
  await account.createEvents(1);
  await service.drain();
  const [waiting] = await rowsOf(service, 'webhookDeliveries', account.id);
  const until = { next_attempt_at: null, due_at: Date.now() + DAY };
  const copies = Array.from({ length: 26 }, (_, i) => {
    const copy = { ...waiting, ...until, id: Number(waiting?.['id']) + i };
    return { ...copy, ...indexKeys(tables.webhookDeliveries, account.id, copy) };
  });
  await putRows(service.client, 'webhookDeliveries', copies);
  await account.createCustomer();
  await account.send('GET', '/v1/events?page=1');
  await move(id, { resume_after: 0 });
  return id;
};

test('a failure of another delivery while the last event is sent: its answer has a delivery, although others wait', async () => {
  const id = await createRecovered();
  receiver.behavior = during(1, async () => {
    await move(id, { failures: 2 });
    service.moveClock(11_000);
  });
  await work(id);
  expect([await stored(), (await statuses()).at(-1)]).toEqual([expect.objectContaining({ position: 3 }), 'succeeded']);
});

test('an endpoint that fails while many deliveries wait: they are not made due', async () => {
  const id = await createRecovered();
  await move(id, { ...failing(Date.now() - 1), resume_after: 0 });
  await work(id);
  const due = (await rowsOf(service, 'webhookDeliveries', account.id)).map(({ due_at }) => Number(due_at));
  expect(due.filter((at) => at > Date.now() + DAY / 2)).toHaveLength(26);
  expect(await stored()).not.toHaveProperty('resume_after');
});

test('an event after a recovery, while many deliveries wait: it is sent before all of them', async () => {
  const id = await createRecovered();
  const before = receiver.requests.length;
  // The turn ends.
  receiver.behavior = during(1, async () => service.moveClock(11_000));
  await work(id);
  expect(receiver.requests).toHaveLength(before + 1);
  expect(await stored()).toMatchObject({ position: 3, resume_after: expect.any(Number) });
});

test('deliveries that wait for a receiver that works again: one turn sends them, at most ten at a time', async () => {
  const id = await createRecovered();
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
  expect(await statuses()).toEqual(Array(27).fill('succeeded'));
  expect(most).toBeLessThanOrEqual(PAGE);
});

test('deliveries that wait, and are due while a pump attempts them: they are not sent all at once', async () => {
  const id = await createRecovered();
  const before = receiver.requests.length;
  const waiting = (await rowsOf(service, 'webhookDeliveries', account.id)).map((row) => Number(row['id']));
  await service.deliver(waiting.map((webhook_delivery_id) => ({ account_id: account.id, webhook_delivery_id })));
  expect(receiver.requests).toHaveLength(before);
  receiver.behavior = behaviors.ok;
  await work(id);
  expect(await statuses()).toEqual(Array(27).fill('succeeded'));
});

test('deliveries that wait for a slow receiver, and an event before each turn: each turn after the first sends ten', async () => {
  const id = await createRecovered();
  const attempted = async () => (await statuses()).filter((status) => status === 'succeeded').length;
  const endTurn = () => service.moveClock(11_000);
  const sent: number[] = [];
  for (const requests of [1, PAGE, PAGE]) {
    receiver.behavior = together(requests, endTurn);
    await work(id);
    sent.push(await attempted());
    await account.createEvents(1);
  }
  expect(sent).toEqual([1, 1 + PAGE, 1 + 2 * PAGE]);
});

test('a recovery while a page is attempted: the deliveries begin again with the first', async () => {
  const id = await createRecovered();
  const [first] = await rowsOf(service, 'webhookDeliveries', account.id);
  receiver.behavior = duringFirstPage(async () => {
    const again = { ...first, status: 'pending', next_attempt_at: null, lease_until: 0, version: 9 };
    await putRows(service.client, 'webhookDeliveries', [
      { ...again, ...indexKeys(tables.webhookDeliveries, account.id, again) },
    ]);
    await move(id, { resume_after: 0 });
  });
  await work(id);
  const rows = await rowsOf(service, 'webhookDeliveries', account.id);
  expect(rows.map(({ status }) => status)).toEqual(Array(27).fill('succeeded'));
});

test('changes of the endpoint before the commits at the end of a turn: no other page begins', async () => {
  const id = await createRecovered();
  const before = receiver.requests.length;
  receiver.behavior = duringFirstPage(() => service.moveClock(11_000));
  const competing = [2, 3, 2];
  const stop = watchUpdates(service.own.dynamo, account.id, 'webhookEndpoints', async (attributes) => {
    const isOfPump = attributes.includes('lease_until');
    const failures = isOfPump && receiver.requests.length === before + 1 + PAGE && competing.shift();
    if (failures) await move(id, { failures });
  });
  await work(id);
  stop();
  expect([receiver.requests.length - before, competing]).toEqual([1 + PAGE, []]);
});

test('an unexpected error with one of the deliveries that wait: the turn ends after the attempts of the others', async () => {
  const id = await createRecovered();
  receiver.behavior = async (...exchange) => {
    await setTimeout(100);
    behaviors.ok(...exchange);
  };
  let updates = 0;
  const stop = watchUpdates(service.own.dynamo, account.id, 'webhookDeliveries', () => {
    updates += 1;
    if (updates === 1) throw new Error('unexpected');
  });
  await work(id);
  stop();
  expect((await statuses()).filter((status) => status === 'succeeded')).toHaveLength(1 + PAGE - 1);
});

test('deliveries that wait for a receiver that fails again: ten fail together, and the others are not sent [CONTRACT §15]', async () => {
  const id = await createRecovered();
  const { requests } = receiver;
  const before = requests.length;
  receiver.behavior = duringFirstPage(() => {}, behaviors.failing);
  await work(id);
  await service.drain();
  expect([requests.length - before, await stored()]).toMatchObject([1 + PAGE, { failures: 5 }]);
});

test('a new URL, while a pump resumes deliveries since the last success: it begins with the first delivery again', async () => {
  const id = await createEndpoint();
  await move(id, { ...failing(Date.now() + MINUTE), resume_after: 0 });
  const race = interleave(service.client);
  const { url } = await race(
    () => move(id, { resume_after: 7 }),
    () => account.patchEndpoint(id, { url: `${receiver.url}/new` }),
  );
  expect(await stored()).toMatchObject({ url, failures: 0, resume_after: 0 });
});
