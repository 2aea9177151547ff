import { expect, test } from '@jest/globals';
import { behaviors, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { putEvents } from './support/feed.ts';
import { forEachLoad, type Load, print } from './support/load.ts';

/* All endpoints of an account have a backlog, as after a rewind or an outage, and share the write units of a partition. */

const ENDPOINTS = 10;
const EVENTS = 100;
const SCALE = 1 / 4;

let load: Load;
forEachLoad((started) => {
  load = started;
});

test(`${EVENTS} events for each of ${ENDPOINTS} endpoints, whose deliveries are throttled: each event is sent to each endpoint once`, async () => {
  const { service } = load;
  const account = service.account();
  const receiver = await startReceiver(behaviors.ok);
  const messages: object[] = [];
  for (let i = 0; i < ENDPOINTS; i++) {
    const { id } = await account.createEndpoint({ url: `${receiver.url}/${i}` }, { event_types: ['customer.created'] });
    messages.push({ account_id: account.id, webhook_endpoint_id: id });
  }
  await account.createCustomer();
  await putEvents(load, account, EVENTS - 1);
  await service.queue.purge();
  load.limit({ scale: SCALE });
  await Promise.all(messages.map((message) => service.deliver([message])));
  await service.drain();
  const { refusals } = load.usage(({ kind, name }) => kind === 'write' && name === 'webhookDeliveries');
  load.limit();
  await receiver.close();
  const sent = receiver.requests.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
  const deliveries = await rowsOf(service, 'webhookDeliveries', account.id);
  print({ requests: sent.length, distinct: new Set(sent).size, deliveries: deliveries.length, refusals });
  expect(refusals).toBeGreaterThan(0);
  expect([sent.length, new Set(sent).size]).toEqual([ENDPOINTS * EVENTS, ENDPOINTS * EVENTS]);
  expect(deliveries.filter(({ status }) => status === 'succeeded')).toHaveLength(ENDPOINTS * EVENTS);
}, 120_000);
