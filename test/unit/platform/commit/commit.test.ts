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
