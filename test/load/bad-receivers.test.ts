import { afterEach, expect, jest, test } from '@jest/globals';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { type NameServer, useNameServer } from '#test/support/receivers/name-server.ts';
import { type Behavior, behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { forEachLoad, type Load, print, tally } from './support/load.ts';

/* L3: endpoints that are dead, slow or hostile, and the deliveries of the others in the same process. */

const HEALTHY = 95;
const WAVES = 3;
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

/** Rejects every third event. */
const rejecting = (): Behavior => {
  let requests = 0;
  return (...exchange) => (++requests % 3 === 0 ? behaviors.failing : behaviors.ok)(...exchange);
};

/** An account with an endpoint for each URL, and their messages. */
const createEndpoints = async (urls: readonly string[]) => {
  const { service } = load;
  const account = service.account();
  await account.createEndpoint(
    { url: 'https://example.com' },
    { event_types: ['customer.created'], status: 'disabled' },
  );
  await service.dispatch(account.id);
  const [row] = await rowsOf(service, 'webhookEndpoints', account.id);
  const enabled = { ...row, status: 'enabled', disabled_reason: null, is_started: true };
  const endpoints = urls.map((url, i) => ({ ...enabled, id: Number(row?.['id']) + 1 + i, url }));
  await load.put('webhookEndpoints', account.id, endpoints);
  const messages = endpoints.map(({ id }) => ({ account_id: account.id, webhook_endpoint_id: id }));
  return { account, messages };
};

test(`${HEALTHY} endpoints and five bad ones: each event is sent by the first message, while the bad ones are busy`, async () => {
  const { service } = load;
  names = await useNameServer({ 'silent.test': { ignores: [4, 6] } });
  const urls = ['http://127.0.0.1:1', 'https://silent.test', await receive(behaviors.endlesslyInforming)];
  const bad = await createEndpoints([...urls, await receive(slow), await receive(rejecting())]);
  const healthy = await createEndpoints(Array(HEALTHY).fill(await receive(behaviors.ok)));
  await bad.account.createEvents(5);
  await service.queue.purge();
  load.limit({});
  let busy = bad.messages.length;
  const disturbed = bad.messages.map((message) =>
    service.deliver([message]).finally(() => {
      busy -= 1;
    }),
  );
  const received = receivers.at(-1)?.requests ?? [];
  const perWave: number[] = [];
  let stillBusy = 0;
  for (let wave = 0; wave < WAVES; wave++) {
    const before = received.length;
    await healthy.account.createEvents(1);
    await service.queue.purge();
    for (const batch of batchesOf(healthy.messages, 10)) await Promise.all(batch.map((one) => service.deliver([one])));
    perWave.push(received.length - before);
    if (wave === 0) stillBusy = busy;
  }
  load.limit();
  await Promise.all(disturbed);
  const rows = await rowsOf(service, 'webhookDeliveries', healthy.account.id);
  const endpoints = await rowsOf(service, 'webhookEndpoints', healthy.account.id);
  const failures = endpoints.reduce((sum, { failures = 0 }) => sum + Number(failures), 0);
  const statuses = tally(rows.map(({ status }) => String(status)));
  print({ perWave, stillBusy, failures, ...statuses });
  expect(perWave).toEqual(Array(WAVES).fill(HEALTHY));
  expect([statuses, failures]).toEqual([{ succeeded: HEALTHY * WAVES }, 0]);
  expect(stillBusy).toBeGreaterThan(0);
}, 120_000);
