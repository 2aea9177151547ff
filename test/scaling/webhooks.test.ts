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

/** Does what is due, and returns the usage. */
const use = async (work: () => Promise<void>) => {
  takeUsage();
  commits = 0;
  await work();
  const { writes, calls } = takeUsage();
  return { commits, writes, calls };
};

/** Sends events that are published, and returns the usage. */
const send = async (events: number) => {
  await account.createEndpoint(receiver, { event_types: ['customer.created'] });
  await account.createEvents(events);
  const used = await use(() => service.drain());
  expect(receiver.requests).toHaveLength(events);
  return used;
};

/** Makes the attempts that are due after this time, and returns the usage. */
const retryAfter = async (ms: number, attempts: number) => {
  const before = receiver.requests.length;
  service.moveClock(ms);
  const used = await use(() => service.deliverDue(account));
  expect(receiver.requests).toHaveLength(before + attempts);
  return used;
};

testOnDynoxide(
  'one event: the lease, then a transaction with the position and the delivery [CONTRACT §15]',
  async () => {
    expect(await send(1)).toEqual({ commits: 2, writes: 8, calls: 5 });
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
  'an attempt that fails, the next one, which fails too, and a third one, which succeeds: commits and write units [CONTRACT §15]',
  async () => {
    receiver.behavior = behaviors.failing;
    const first = await send(1);
    const second = await retryAfter(7000, 1);
    receiver.behavior = behaviors.ok;
    const third = await retryAfter(400_000, 1);
    // The lease, then a transaction with the endpoint and the delivery.
    expect([first, second, third]).toEqual([
      { commits: 2, writes: 10, calls: 5 },
      { commits: 2, writes: 9, calls: 7 },
      { commits: 2, writes: 11, calls: 7 },
    ]);
  },
);

testOnDynoxide(
  '10 deliveries whose next attempts are due at the same time: two commits, and 7.4 write units for each [CONTRACT §15]',
  async () => {
    let requests = 0;
    receiver.behavior = (...exchange) => (++requests % 2 === 0 ? behaviors.failing : behaviors.ok)(...exchange);
    await send(20);
    receiver.behavior = behaviors.ok;
    expect(await retryAfter(7000, 10)).toEqual({ commits: 2, writes: 74, calls: 7 });
  },
);
