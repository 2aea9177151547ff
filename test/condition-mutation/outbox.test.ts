import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { HEAD_ID } from '#shared/platform/commit/outbox-row.ts';
import { createId, IDS_PER_MILLISECOND } from '#shared/platform/id.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { interleave } from '#test/support/faults/interleave.ts';
import {
  createPrerequisites,
  operations,
  otherBodyOf,
  request,
  resetCounters,
} from '#test/support/requests/requests.ts';
import type { Caller } from '#test/support/service/client.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { rowsOf, scan } from '#test/support/state/invariants.ts';

const service = await startService();
const race = interleave(service.client);
afterAll(() => service.stop());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const writes = operations.filter(([, operation]) => operation.isWrite);

test.each(partOf(writes, 6))(
  '%s whose row of the outbox gets an id that is taken: another id, and the older row stays [CONTRACT §14]',
  async (_, operation) => {
    await resetCounters(service);
    const { method } = operation;
    const { target, sent } = request(operation, 'v1', await createPrerequisites(service, operation));
    const other = otherBodyOf(operation);
    const changed = method === 'PATCH' ? { body: other } : {};
    stopClock();
    const id = createId(new Date().toISOString(), IDS_PER_MILLISECOND / 2);
    const older = { account_id: 'acct_1', id, changes: [], actor: 'older', request_id: 'older' };
    await service.client.send(new PutCommand({ TableName: 'outbox', Item: older }));
    // A random number for a new member, and another for the row of the outbox.
    jest.spyOn(Math, 'random').mockReturnValueOnce(0.5).mockReturnValueOnce(0.5);
    expect((await service.send(target, { ...sent, ...changed })).status).toBeLessThan(300);
    const rows = await scan(service, 'outbox');
    expect(rows.filter((row) => row['id'] === id)).toEqual([older]);
    await service.client.send(new DeleteCommand({ TableName: 'outbox', Key: { account_id: 'acct_1', id } }));
  },
);

describe('two sequencers with the same changes [CONTRACT §14]', () => {
  const list = (caller: Caller) => service.send('/v1/events', { as: caller });
  const change = (caller: Caller) =>
    service.send('/v1/customers', { method: 'POST', body: { name: 'Ada' }, as: caller });

  test.each([
    ['the first events of an account', 0],
    ['later events', 1],
  ])('%s: each event once', async (_, earlier) => {
    const caller = { account: `acct_race_${earlier}` };
    for (let i = 0; i < earlier; i++) await change(caller);
    if (earlier > 0) await list(caller);
    await change(caller);
    const { json } = await race(
      () => list(caller),
      () => list(caller),
    );
    expect(json.data).toHaveLength(earlier + 1);
    expect(await rowsOf(service, 'events', caller.account)).toHaveLength(earlier + 1);
  });

  test('an account whose head is missing, and an id that is taken: the older event stays', async () => {
    const caller = { account: 'acct_lost_head' };
    stopClock();
    await change(caller);
    await list(caller);
    const before = await rowsOf(service, 'events', 'acct_lost_head');
    const Key = { account_id: 'acct_lost_head', id: HEAD_ID };
    await service.client.send(new DeleteCommand({ TableName: 'outbox', Key }));
    await change(caller);
    expect((await service.send('/v1/events', { as: caller, remaining: 1500 })).status).toBe(503);
    expect(await rowsOf(service, 'events', 'acct_lost_head')).toEqual(before);
  });
});

test('a deleted row whose id a later commit took, and a second deletion: the event of the later commit [CONTRACT §14]', async () => {
  const caller = { account: 'acct_second_deletion' };
  await service.send('/v1/customers', { method: 'POST', body: { name: 'Ada' }, as: caller });
  const [row = {}] = await rowsOf(service, 'outbox', caller.account);
  const [change] = row['changes'] as object[];
  const later = { ...row, write_id: 'later', changes: [{ ...change, type: 'customer.updated', version: 2 }] };
  const list = () => service.send('/v1/events', { as: caller });
  const put = { TableName: 'outbox', Item: later };
  const takeId = once(() => service.client.send(new PutCommand(put)));
  service.client.middlewareStack.add(
    (next, context) => async (call) => {
      // A sequencer of another test may still run.
      const isOwn = JSON.stringify(call.input).includes(caller.account);
      if (context.commandName === 'DeleteItemCommand' && isOwn) await takeId();
      return next(call);
    },
    { step: 'initialize', priority: 'high', name: 'takeId' },
  );
  await list();
  service.client.middlewareStack.remove('takeId');
  expect((await list()).json.data.map(({ version }: { version: number }) => version)).toEqual([1, 2]);
  expect((await rowsOf(service, 'outbox', caller.account)).map(({ id }) => id)).toEqual([HEAD_ID]);
});

const once = (act: () => Promise<unknown>): (() => Promise<unknown>) => {
  let done: Promise<unknown> | undefined;
  return () => {
    done ??= act();
    return done;
  };
};
