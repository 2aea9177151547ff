import { expect } from '@jest/globals';
import { countUnits } from '#test/scaling/units.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { behaviors } from '#test/support/receivers/webhook-receivers.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';

/*
 * Calls and write units of the dispatcher and the sender, by the ConsumedCapacity that the engine returns. In a
 * transaction, the engine counts twice the units of each table's item, and once those of each index; not yet measured on
 * AWS.
 */

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;
let takeUsage: ReturnType<typeof countUnits>;

forEachWebhookTest(behaviors.ok, (...own) => {
  [service, account, receiver] = own;
  takeUsage ??= countUnits(service.own.dynamo);
});

/** Creates events that no dispatcher has seen, and returns the usage of their dispatch. */
const dispatch = async (events: number) => {
  await account.createEndpoint(receiver, { event_types: ['customer.created'] });
  await service.dispatch(account.id);
  for (let i = 0; i < events; i++) await account.createCustomer();
  await account.call('GET', '/v1/events');
  takeUsage();
  await service.dispatch(account.id);
  const usage = takeUsage();
  expect(await account.deliveries()).toHaveLength(events);
  return usage;
};

testOnDynoxide('the dispatch of one event, and of 99: write units and calls [CONTRACT §15]', async () => {
  const one = await dispatch(1);
  account = service.account();
  const full = await dispatch(99);
  // For each delivery: two units of its table and one of each of four indexes. Then two for the position.
  expect([one.calls, one.writes]).toEqual([4, 6 + 2]);
  expect([full.calls, full.writes]).toEqual([4, 99 * 6 + 2]);
});

testOnDynoxide('one delivery that succeeds: write units and calls [CONTRACT §15]', async () => {
  await dispatch(1);
  await service.drain();
  const usage = takeUsage();
  expect(receiver.requests).toHaveLength(1);
  // Reads of the delivery, its endpoint and its event; the claim and the end.
  expect([usage.calls, usage.writes]).toEqual([5, 9]);
});
