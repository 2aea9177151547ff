import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { deepTest } from '#test/support/extent/deep-test.ts';
import { injectFaults } from '#test/support/faults/faults.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/*
 * A commit takes the id of its outbox row before its attempts. When it takes long, a row of another commit with the same
 * id may already be published and deleted.
 */

let count = 0;
let make: Makers;

const service = await startService();
const faults = injectFaults(service.client);
afterAll(() => service.stop());
beforeEach(() => {
  make = makers(service, { account: `acct_reused_${count++}` });
});
afterEach(() => {
  faults.plan();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** All commits of one moment get the same id for their rows. */
const stopIds = (): void => {
  stopClock();
  jest.spyOn(Math, 'random').mockReturnValue(0.5);
};

const rename = (path: string) => make.send('PATCH', path, { name: 'New' });
const feed = async (): Promise<string[]> =>
  (await make.list('/v1/events')).map(({ resource_id, version }) => `${resource_id}, version ${version}`);
const waiting = async () => (await rowsOf(service, 'outbox', make.account_id)).filter((row) => 'changes' in row);

/** Runs `work` while the next transaction of a commit waits for its second attempt. */
const duringNextCommit = (work: () => Promise<unknown>): void => {
  let isFirst = true;
  service.client.middlewareStack.add(
    (next, context) => async (call) => {
      if (context.commandName !== 'TransactWriteItemsCommand' || !isFirst) return next(call);
      isFirst = false;
      await work();
      const items = (call.input as { TransactItems: unknown[] }).TransactItems.length;
      const CancellationReasons = Array.from({ length: items }, () => ({ Code: 'TransactionConflict' }));
      throw Object.assign(new Error(), {
        name: 'TransactionCanceledException',
        $fault: 'client',
        $metadata: { httpStatusCode: 400 },
        CancellationReasons,
      });
    },
    { step: 'finalizeRequest', priority: 'low', name: 'late', override: true },
  );
};

test('a commit whose id another commit had, which is published and deleted: its event is in the feed [CONTRACT §14]', async () => {
  const [early, late] = [await make.customer(), await make.customer()];
  await feed();
  stopIds();
  duringNextCommit(async () => {
    await rename(early.path);
    await feed();
    expect(await waiting()).toEqual([]);
  });
  await rename(late.path);
  expect((await feed()).slice(2)).toEqual([`${early.id}, version 2`, `${late.id}, version 2`]);
  expect(await waiting()).toEqual([]);
});

deepTest(
  'rows that no sequencer can delete: 503 above 200 rows, and all events once the rows can be deleted [CONTRACT §14]',
  async () => {
    await make.customer();
    await feed();
    const [head] = await rowsOf(service, 'outbox', make.account_id);
    const undeleted = Array.from({ length: 201 }, (_, i) => ({
      account_id: make.account_id,
      id: i + 1,
      write_id: `write ${i}`,
      changes: [],
      actor: null,
      request_id: 'a',
    }));
    const put = (Item: object) => service.client.send(new PutCommand({ TableName: 'outbox', Item: { ...Item } }));
    await Promise.all(undeleted.map(put));
    const published = undeleted.map(({ id, write_id }) => ({ id, write_id }));
    await put({ ...head, published });
    await make.customer();
    faults.plan(({ command }) => (command === 'DeleteItemCommand' ? 'crash-before' : undefined));
    expect((await make.send('GET', '/v1/events')).status).toBe(503);
    faults.plan();
    expect(await feed()).toHaveLength(2);
    expect(await waiting()).toEqual([]);
  },
);
