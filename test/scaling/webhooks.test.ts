import { expect } from '@jest/globals';
import { countUnits } from '#test/scaling/units.ts';
import { testOnDynoxide } from '#test/support/extent/test-on-dynoxide.ts';
import { behaviors } from '#test/support/receivers/webhook-receivers.ts';
import { type Account, forEachWebhookTest, type TestReceiver, type Webhooks } from '#test/support/service/webhooks.ts';

/*
 * Commits and write units of the workers of webhooks, by the ConsumedCapacity that the engine returns. In a transaction, the
 * engine counts twice the units of each table's item, and once those of each index; not yet measured on AWS.
 */

let service: Webhooks;
let account: Account;
let receiver: TestReceiver;
let takeUsage: ReturnType<typeof countUnits>;
let commits = 0;
let isCounting = false;

forEachWebhookTest(behaviors.ok, (...own) => {
  [service, account, receiver] = own;
  takeUsage ??= countUnits(service.own.dynamo);
  if (isCounting) return;
  isCounting = true;
  service.own.dynamo.middlewareStack.add(
    (next, { commandName = '' }) =>
      (call) => {
        if (/^(Update|TransactWrite)/.test(commandName)) commits += 1;
        return next(call);
      },
    { step: 'initialize', name: 'count-commits' },
  );
});

/** Sends events that are published, and returns the usage. */
const send = async (events: number) => {
  await account.createEndpoint(receiver, { event_types: ['customer.created'] });
  await account.createEvents(events);
  takeUsage();
  commits = 0;
  await service.drain();
  const { writes, calls } = takeUsage();
  expect(receiver.requests).toHaveLength(events);
  return { commits, writes, calls };
};

testOnDynoxide(
  'one event: the lease, then a transaction with the position and the delivery [CONTRACT §15]',
  async () => {
    expect(await send(1)).toEqual({ commits: 2, writes: 8, calls: 4 });
  },
);

testOnDynoxide(
  '80 events in a row: a commit for 20 deliveries, and 5.1 write units for each [CONTRACT §15]',
  async () => {
    const { commits: all, writes } = await send(80);
    expect(all).toBe(1 + 80 / 20);
    expect(writes / 80).toBeCloseTo(5.1, 1);
  },
);

testOnDynoxide(
  'an attempt that fails, and the next one, which succeeds: commits and write units [CONTRACT §15]',
  async () => {
    receiver.behavior = behaviors.failing;
    const first = await send(1);
    takeUsage();
    commits = 0;
    receiver.behavior = behaviors.ok;
    service.moveClock(7000);
    await service.deliverDue(account);
    const { writes } = takeUsage();
    expect(receiver.requests).toHaveLength(2);
    // The claim, the health of the endpoint, and the end.
    expect([first.commits, first.writes, commits, writes]).toEqual([2, 9, 3, 10]);
  },
);
