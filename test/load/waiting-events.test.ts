import { expect, test } from '@jest/globals';
import { type Behavior, behaviors, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { putEvents } from './support/feed.ts';
import { countAttempts, forEachLoad, type Load, print } from './support/load.ts';

/* L4: events that wait because their endpoint is disabled. */

const FEW = 1;
const MANY = 4000;
const RUNS = 3;
/** Of an answer, so that requests overlap. */
const DELAY_MS = 20;
const TYPES = { event_types: ['customer.created'] };

let load: Load;
forEachLoad((started) => {
  load = started;
});

/** An account with a disabled endpoint, and events after its position. */
const createWaiting = async (account: Account, url: string, count: number): Promise<number> => {
  const { id } = await account.createEndpoint({ url }, { ...TYPES, status: 'disabled' });
  await account.createCustomer();
  await putEvents(load, account, count);
  return id;
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
    await service.schedule('workers/wake-webhook-endpoints');
  }
  const messages = (await service.queue.receive()).length;
  const calls = Object.values(take()).reduce((sum, count) => sum + count, 0);
  return { calls, messages, read: load.used('read', () => true), written: load.used('write', () => true) };
};

test(`${MANY} events of a disabled endpoint: cost as many calls, units and messages as ${FEW}`, async () => {
  const account = load.service.account();
  await createWaiting(account, 'http://127.0.0.1:1', FEW);
  const few = await runWorkers();
  await putEvents(load, account, MANY);
  const many = await runWorkers();
  print({ few, many });
  expect(many).toEqual(few);
  expect([many.messages, many.written]).toEqual([0, 0]);
  expect(await rowsOf(load.service, 'webhookDeliveries', account.id)).toEqual([]);
}, 120_000);

test(`${MANY} events of an endpoint that is enabled: in order, ten at a time; another account waits for one turn`, async () => {
  const { service } = load;
  const sequences: number[] = [];
  let [open, most] = [0, 0];
  const counting: Behavior = (request, response) => {
    open += 1;
    most = Math.max(most, open);
    response.on('finish', () => {
      open -= 1;
    });
    sequences.push(JSON.parse(receiver.requests.at(-1)?.body ?? '').sequence);
    setTimeout(() => behaviors.ok(request, response), DELAY_MS);
  };
  const receiver = await startReceiver(counting);
  const account = service.account();
  const id = await createWaiting(account, receiver.url, MANY);
  const other = service.account();
  const otherReceiver = await startReceiver(behaviors.ok);
  await other.createEndpoint(otherReceiver, TYPES);
  await service.queue.purge();
  await account.patchEndpoint(id, { status: 'enabled' });
  await other.createEvents(1);
  const turns: string[] = [];
  for (;;) {
    const messages = (await service.queue.receive()).map(({ Body = '' }) => JSON.parse(Body));
    if (messages.length === 0) break;
    for (const message of messages) {
      turns.push(message.account_id);
      await service.deliver([message]);
    }
  }
  const displaced = Math.max(...sequences.map((sequence, i) => Math.abs(sequence - (sequences[0] as number) - i)));
  print({ sent: sequences.length, turns: turns.length, most, displaced });
  await Promise.all([receiver.close(), otherReceiver.close()]);
  expect(sequences).toHaveLength(MANY + 1);
  expect([most, displaced < 10]).toEqual([10, true]);
  expect(turns.indexOf(other.id)).toBeLessThanOrEqual(1);
  expect(turns.filter((account_id) => account_id === account.id).length).toBeGreaterThan(1);
}, 600_000);
