import { expect, test } from '@jest/globals';
import { hold } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { behaviors, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { createEvent, putDeliveries } from './support/deliveries.ts';
import { countAttempts, forEachLoad, type Load, print } from './support/load.ts';

/* L4: deliveries that are held because their endpoint is disabled. */

const FEW = 1;
const MANY = 4000;
const SENT = 300;
const RUNS = 3;

let load: Load;
forEachLoad((started) => {
  load = started;
});

const DAY_MS = 86_400_000;

/** Holds deliveries of a new, disabled endpoint. */
const putHeld = async (account: Account, url: string, count: number): Promise<number> => {
  const event = await createEvent(account);
  const { id: endpoint } = await account.createEndpoint({ url });
  await account.patchEndpoint(endpoint, { status: 'disabled' });
  const at = new Date(Date.now() - DAY_MS).toISOString();
  await putDeliveries(load, account.id, { endpoint, event, count, at, change: (delivery) => hold(delivery, at) });
  return endpoint;
};

/** What the scheduled workers do while the endpoint is disabled. */
const runWorkers = async () => {
  const { service } = load;
  const take = countAttempts(service.own.dynamo);
  await service.queue.purge();
  load.limit();
  for (let run = 0; run < RUNS; run++) {
    await service.schedule('workers/reconcile');
    await service.schedule('workers/publish-waiting-changes');
  }
  const messages = (await service.queue.receive()).length;
  return { calls: take(), messages, read: load.used('read', () => true), written: load.used('write', () => true) };
};

test(`${MANY} held deliveries of a disabled endpoint: cost as many calls, units and messages as ${FEW}`, async () => {
  const few = load.service.account();
  await putHeld(few, 'http://127.0.0.1:1', FEW);
  const alone = await runWorkers();
  const many = load.service.account();
  await putHeld(many, 'http://127.0.0.1:1', MANY);
  const both = await runWorkers();
  print({ alone, both });
  expect(alone.messages).toBe(0);
  expect(both.messages).toBe(0);
  // Another endpoint is read, and so are the partitions of another account; nothing depends on the deliveries.
  const calls = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
  expect(calls(both.calls) - calls(alone.calls)).toBeLessThanOrEqual(8 * RUNS);
  expect(both.read - alone.read).toBeLessThanOrEqual(8 * RUNS);
  expect(both.written).toBe(alone.written);
}, 60_000);

test(`${SENT} held deliveries of an endpoint that is enabled: all are sent, the oldest first, ten at a time`, async () => {
  const { service } = load;
  const account = service.account();
  const receiver = await startReceiver(behaviors.ok);
  const endpoint = await putHeld(account, receiver.url, SENT);
  await service.queue.purge();
  await account.patchEndpoint(endpoint, { status: 'enabled' });
  await service.deliver([{ account_id: account.id, webhook_endpoint_id: endpoint }]);
  const order: number[] = [];
  for (;;) {
    const messages = (await service.queue.receive()).map(({ Body = '' }) => JSON.parse(Body));
    if (messages.length === 0) break;
    order.push(...messages.flatMap(({ webhook_delivery_id: id }) => id ?? []));
    await service.deliver(messages);
  }
  const rank = new Map(order.toSorted((a, b) => a - b).map((id, i) => [id, i]));
  const displaced = Math.max(...order.map((id, i) => Math.abs((rank.get(id) as number) - i)));
  const pending = await account.deliveries('&status=pending');
  print({ sent: receiver.requests.length, messages: order.length, displaced, pending: pending.length });
  await receiver.close();
  expect(receiver.requests).toHaveLength(SENT);
  expect(pending).toEqual([]);
  // A page of the worker has ten deliveries, which it changes at the same time.
  expect(displaced).toBeLessThan(10);
}, 60_000);
