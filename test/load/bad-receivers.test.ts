import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { type NameServer, useNameServer } from '#test/support/receivers/name-server.ts';
import { type Behavior, behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { createEvent, putDeliveries } from './support/deliveries.ts';
import { forEachLoad, type Load, percentile, print, tally } from './support/load.ts';

/* L3: endpoints that are dead, slow or hostile, and the deliveries of the others in the same process. */

const HEALTHY = 95;
const WAVES = 4;
const PAUSE_MS = 3000;
const MAX_MS = 2000;
const SLOW_MS = 14_000;

let load: Load;
forEachLoad((started) => {
  load = started;
});

let receivers: Receiver[] = [];
let names: NameServer | undefined;
afterEach(async () => {
  for (const receiver of receivers) await receiver.close();
  receivers = [];
  await names?.close();
  names = undefined;
  jest.restoreAllMocks();
});

const receive = async (behavior: Behavior): Promise<string> => {
  const receiver = await startReceiver(behavior);
  receivers.push(receiver);
  return receiver.url;
};

const slow: Behavior = (request, response) => {
  setTimeout(() => behaviors.ok(request, response), SLOW_MS);
};

/** An account with an endpoint for each URL, and the messages of `count` deliveries to each endpoint. */
const createDeliveries = async (urls: readonly string[], count: number) => {
  const { service } = load;
  const account = service.account();
  const event = await createEvent(account);
  await account.createEndpoint({ url: 'https://example.com' });
  const [row] = await rowsOf(service, 'webhookEndpoints', account.id);
  const endpoints = urls.map((url, i) => ({ ...row, id: Number(row?.['id']) + 1 + i, url }));
  await load.put('webhookEndpoints', account.id, endpoints);
  const messages = [];
  // The ids of deliveries contain their times.
  for (const [i, { id }] of endpoints.entries()) {
    const at = new Date(Date.now() - 1000 * i).toISOString();
    messages.push(await putDeliveries(load, account.id, { endpoint: id, event, count, at }));
  }
  return { account, endpoints, messages };
};

test(`${HEALTHY} endpoints and four bad ones: each delivery takes less than ${MAX_MS} ms, and none fails`, async () => {
  const { service } = load;
  names = await useNameServer({ 'silent.test': { ignores: [4, 6] } });
  const flooding = await receive(behaviors.endlesslyInforming);
  const bad = await createDeliveries(['http://127.0.0.1:1', 'https://silent.test', flooding, await receive(slow)], 5);
  const url = await receive(behaviors.ok);
  const healthy = await createDeliveries(Array(HEALTHY).fill(url), WAVES);
  const times: number[] = [];
  const attempt = async (message: object) => {
    const begin = performance.now();
    await service.deliver([message]);
    times.push(performance.now() - begin);
  };
  load.limit({});
  const disturbed = Promise.all(bad.messages.flat().map((message) => service.deliver([message])));
  for (let wave = 0; wave < WAVES; wave++) {
    const messages = healthy.messages.flatMap((all) => all[wave] ?? []);
    for (const batch of batchesOf(messages, 10)) await Promise.all(batch.map(attempt));
    await sleep(PAUSE_MS);
  }
  load.limit();
  const statuses = (await rowsOf(service, 'webhookDeliveries', healthy.account.id)).map(({ status }) => String(status));
  const endpoints = await rowsOf(service, 'webhookEndpoints', healthy.account.id);
  const failures = endpoints.reduce((sum, { failures = 0 }) => sum + Number(failures), 0);
  const [p99, median] = [0.99, 0.5].map((part) => Math.round(percentile(times, part)));
  print({ p99, median, failures, ...tally(statuses) });
  await disturbed;
  expect([tally(statuses), failures]).toEqual([{ succeeded: HEALTHY * WAVES }, 0]);
  expect(p99).toBeLessThanOrEqual(MAX_MS);
}, 90_000);

/** On AWS they would be 500, but there each ten have a process of their own. */
const IN_FLIGHT = 100;
const MAX_UPDATES = 0.8 * IN_FLIGHT;

test(`an endpoint that fails with ${IN_FLIGHT} deliveries in flight: its item is updated at most ${MAX_UPDATES} times`, async () => {
  const { service } = load;
  const open: (() => void)[] = [];
  let arrived = 0;
  // Responds to all requests at the same time, as an overloaded receiver does.
  const url = await receive((request, response) => {
    arrived += 1;
    open.push(() => behaviors.failing(request, response));
    if (arrived >= IN_FLIGHT) for (const respond of open.splice(0)) respond();
  });
  const { account, endpoints, messages } = await createDeliveries([url], IN_FLIGHT);
  let updates = 0;
  service.own.dynamo.middlewareStack.add(
    (next) => (call) => {
      const { TableName, UpdateExpression } = call.input as { TableName?: string; UpdateExpression?: string };
      if (TableName === 'webhookEndpoints' && UpdateExpression) updates += 1;
      return next(call);
    },
    { step: 'initialize', priority: 'low', name: 'count-updates' },
  );
  const running: Promise<number>[] = [];
  for (const batch of batchesOf(messages.flat(), 10)) {
    running.push(service.deliver(batch));
    while (arrived < 10 * running.length) await sleep(5);
  }
  const failed = (await Promise.all(running)).reduce((sum, count) => sum + count, 0);
  service.own.dynamo.middlewareStack.remove('count-updates');
  const item = (await rowsOf(service, 'webhookEndpoints', account.id)).find(({ id }) => id === endpoints[0]?.id);
  const recorded = (await rowsOf(service, 'webhookDeliveries', account.id)).filter(({ step }) => Number(step) === 1);
  print({ updates, failed, failures: item?.['failures'], recorded: recorded.length });
  expect([failed, recorded.length]).toEqual([0, IN_FLIGHT]);
  expect(updates).toBeLessThanOrEqual(MAX_UPDATES);
}, 90_000);
