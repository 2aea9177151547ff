import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCommit } from '#shared/platform/commit/commit.ts';
import { type Faults, injectFaults } from '#test/support/faults/faults.ts';
import { customer, type Data, startData } from '#test/unit/platform/engine.ts';

let data: Data;
let faults: Faults;

beforeAll(async () => {
  data = await startData();
  faults = injectFaults(data.client);
});
afterAll(() => data.stop());

test('a partition that throttles each attempt of a transaction: at most two within a second, then unavailable because of the database [CONTRACT §10]', async () => {
  const { customers } = data.stores('acct_1');
  const writes = [1, 2].flatMap((id) => customers.insert(customer(id)));
  faults.plan(() => 'throttling');
  const committed = createCommit(data.engine)({ writes, deadline: Date.now() + 1000 });
  const detail = 'The database did not complete the request.';
  await expect(committed).rejects.toMatchObject({ code: 'unavailable', details: { detail } });
  expect(faults.attempts.length).toBeLessThanOrEqual(2);
  expect(new Set(faults.attempts)).toEqual(new Set(['TransactWriteItemsCommand']));
});

test('a single write whose response is lost: done, because the row has the id of this commit [§4 Idempotency 6]', async () => {
  const { customers } = data.stores('acct_2');
  const [before, after] = [customer(3), customer(3, { name: 'Bo', version: 2 })];
  for (const writes of [customers.insert(before), customers.replace(before, after)]) {
    faults.plan(({ number }) => (number === 1 ? 'lost-response' : undefined));
    const outcome = await createCommit(data.engine)({ writes, deadline: Date.now() + 5000 });
    expect(outcome).toEqual({ done: true });
    expect(faults.attempts).toHaveLength(2);
  }
  faults.plan();
  expect(await customers.get(3)).toMatchObject({ name: 'Bo', version: 2 });
});

test('a transaction whose response is lost, then a conflict: done, because it is repeated as it was [§4 Idempotency 6]', async () => {
  const { customers } = data.stores('acct_3');
  const writes = [5, 6].flatMap((id) => customers.insert(customer(id)));
  // The first call with all attempts of the SDK, then the second.
  faults.plan(({ number }) => (number <= 3 ? 'lost-response' : number === 4 ? 'conflict' : undefined));
  const origin = { actor: 'user_1', request_id: 'r', newId: () => 7 };
  expect(await createCommit(data.engine)({ writes, origin, deadline: Date.now() + 10_000 })).toEqual({ done: true });
  expect(faults.attempts).toHaveLength(5);
});
