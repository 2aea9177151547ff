import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Operation } from '#shared/platform/endpoint.ts';
import { costOf } from '#shared/platform/http/pipeline/steps/limit.ts';
import { createMemory, entryOf } from '#shared/platform/limits/memory.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { createPrerequisites, operations, request } from '#test/support/requests/requests.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { countSequentialTrips } from '#test/support/state/round-trips.ts';

const HOUR_MS = 3_600_000;
/** The counter is never too slow on a busy machine. */
const memory = createMemory(HOUR_MS);

let service: LocalService;
const calls: string[] = [];
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_SECOND: '100' }, { memory });
  service.client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        if ((call.input as { TableName?: string }).TableName === 'limits') calls.push(String(commandName));
        return next(call);
      },
    { step: 'finalizeRequest', name: 'counterCalls' },
  );
});
afterAll(() => service.stop());

/** Sends a valid request by an account of its own. `prepare` sets what the instance knows of the account. */
const measure = async (operation: Operation, prepare: (account: string) => void) => {
  const caller = { account: newAccount() };
  memory.unreachableUntil = 0;
  const ids = await createPrerequisites(service, operation, caller);
  const { target, sent } = request(operation, 'v1', ids);
  // The account is idle, as an instance guesses that does not know it; a wrong guess costs a second call.
  await service.client.send(new DeleteCommand({ TableName: 'limits', Key: { account_id: caller.account } }));
  memory.entries.delete(caller.account);
  prepare(caller.account);
  calls.length = 0;
  const trips = await countSequentialTrips(service.client, async () => {
    expect((await service.send(target, { ...sent, as: caller })).status).toBeLessThan(400);
  });
  return { trips, calls: [...calls] };
};

test.each(partOf(operations, 5))(
  '%s by an account below its limit: no sequential round trip more, one call at most [CONTRACT §16]',
  async (_, operation) => {
    const cost = costOf(operation);
    const { trips, calls: none } = await measure(operation, () => {
      memory.unreachableUntil = Number.POSITIVE_INFINITY;
    });
    const untilCount = (requests: number) => (account: string) =>
      entryOf(memory, account).untilCount.set(cost, requests);
    const counted = await measure(operation, untilCount(0));
    const uncounted = await measure(operation, untilCount(1));
    expect(none).toEqual([]);
    expect(counted).toEqual({ trips, calls: ['UpdateItemCommand'] });
    expect(uncounted).toEqual({ trips, calls: cost === 1 ? [] : ['GetItemCommand'] });
  },
);

test('100 requests of one account on one instance: 20 are counted, at one write unit each [CONTRACT §16]', async () => {
  const { send } = makers(service, { account: newAccount() });
  memory.unreachableUntil = 0;
  calls.length = 0;
  // On a slow machine, the account would be idle at some of the counts.
  stopClock();
  for (let i = 0; i < 100; i++) expect((await send('GET', '/v1/customers/1')).status).toBe(404);
  jest.useRealTimers();
  const writes = calls.filter((command) => command === 'UpdateItemCommand').length;
  // The second count guesses wrongly that the account is idle.
  expect(writes).toBe(21);
});
