import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import { createMemory, entryOf } from '#shared/platform/limits/limiter.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { createPrerequisites, operations, request } from '#test/support/requests/requests.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { countSequentialTrips } from '#test/support/state/round-trips.ts';

const HOUR_MS = 3_600_000;
/** Long enough ago that the counter is read, and not so long that the instance no longer knows the account. */
const SEEN_MS = 1000;
/** The counter is never too slow on a busy machine. */
const memory = createMemory(HOUR_MS);

let service: LocalService;
const calls: string[] = [];
let isCommitted = false;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_SECOND: '100' }, { memory });
  service.client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        const isCounter = (call.input as { TableName?: string }).TableName === 'limits';
        if (isCounter) calls.push(String(commandName));
        else if (!/^(Get|BatchGet|Query)/.test(String(commandName))) isCommitted = true;
        return next(call);
      },
    { step: 'finalizeRequest', name: 'counterCalls' },
  );
});
afterAll(() => service.stop());
afterEach(() => {
  jest.useRealTimers();
});

/** Sends a valid request by an account of its own. `prepare` sets the knowledge of the instance about the account. */
const measure = async (operation: Operation, prepare: (account: string) => void) => {
  const caller = { account: newAccount() };
  memory.unreachableUntil = 0;
  const ids = await createPrerequisites(service, operation, caller);
  const { target, sent } = request(operation, 'v1', ids);
  // The account is idle, as an instance guesses that does not know it; a wrong guess costs a second call.
  await service.client.send(new DeleteCommand({ TableName: 'limits', Key: { account_id: caller.account } }));
  memory.entries.delete(caller.account);
  // The instance must not forget the account before the request.
  stopClock();
  prepare(caller.account);
  calls.length = 0;
  isCommitted = false;
  const trips = await countSequentialTrips(service.client, async () => {
    expect((await service.send(target, { ...sent, as: caller })).status).toBeLessThan(400);
  });
  jest.useRealTimers();
  return { trips, calls: [...calls] };
};

test.each(partOf(operations, 5))(
  '%s by an account below its limit: one call at most, in parallel with the reads and before the commit [CONTRACT §16]',
  async (_, operation) => {
    const cost = operation.cost;
    const without = await measure(operation, () => {
      memory.unreachableUntil = Number.POSITIVE_INFINITY;
    });
    // A commit without reads waits for the count alone.
    const trips = isCommitted ? Math.max(2, without.trips) : without.trips;
    const knows = (ageMs: number, requests: number) => (account: string) => {
      const entry = entryOf(memory, account);
      entry.seenAt = Date.now() - ageMs;
      entry.untilCount.set(cost, requests);
    };
    const [counted, uncounted] = [
      await measure(operation, knows(SEEN_MS, 0)),
      await measure(operation, knows(SEEN_MS, 1)),
    ];
    const unknown = await measure(operation, knows(Number.POSITIVE_INFINITY, 1));
    expect(without.calls).toEqual([]);
    expect(counted).toEqual({ trips, calls: ['UpdateItemCommand'] });
    expect(uncounted).toEqual({ trips, calls: ['GetItemCommand'] });
    expect(unknown).toEqual({ trips, calls: cost === 1 ? [] : ['UpdateItemCommand'] });
  },
);

test('100 requests of one account on one instance: 20 are counted, at one write unit each [CONTRACT §16]', async () => {
  const { send } = makers(service, { account: newAccount() });
  memory.unreachableUntil = 0;
  calls.length = 0;
  // On a slow machine, the account would be idle at some of the counts.
  stopClock();
  for (let i = 0; i < 100; i++) expect((await send('GET', '/v1/customers/1')).status).toBe(404);
  const writes = calls.filter((command) => command === 'UpdateItemCommand').length;
  // The second count guesses wrongly that the account is idle.
  expect(writes).toBe(21);
});
