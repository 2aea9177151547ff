import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { fault } from '#test/support/faults/faults.ts';
import { startService } from '#test/support/service/local-service.ts';
import { type Makers, makers, newAccount, outcome } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';

/** A commit that is repeated must not be in the feed before commits that were complete when it succeeded (CONTRACT §14). */

const service = await startService();
afterAll(() => service.stop());

let make: Makers;
beforeEach(() => {
  make = makers(service, { account: newAccount() });
});

type Failure = (items: number) => Error;

const canceled =
  (code: string): Failure =>
  (items) =>
    fault('TransactionCanceledException', {
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
      CancellationReasons: Array.from({ length: items }, (_, i) => ({ Code: i === 0 ? code : 'None' })),
    });

/**
 * Fails the first attempts of the next transaction, each after another transaction has been committed.
 * @param isApplied whether the failed attempt has its effect
 */
const failFirst = (failures: readonly Failure[], competing: () => Promise<unknown>, isApplied: boolean) => {
  const left = [...failures];
  let isCompeting = false;
  service.client.middlewareStack.add(
    (next, context) => async (call) => {
      const { TransactItems } = call.input as { TransactItems?: unknown[] };
      const failure = TransactItems && !isCompeting ? left.shift() : undefined;
      if (!failure || context.commandName !== 'TransactWriteItemsCommand') return next(call);
      if (isApplied) await next(call);
      isCompeting = true;
      await competing();
      isCompeting = false;
      throw failure(TransactItems?.length ?? 0);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'failFirst', override: true },
  );
};
afterEach(() => {
  service.client.middlewareStack.remove('failFirst');
});

const feed = async (): Promise<number[]> =>
  (await make.get('/v1/events?limit=100')).data.map((event: { resource_id: number }) => event.resource_id);

test.each([
  ['a conflict', [canceled('TransactionConflict')]],
  ['two conflicts', Array<Failure>(2).fill(canceled('TransactionConflict'))],
  ['throttling of an item', [canceled('ThrottlingError')]],
])('%s, and other commits before the next attempt: its event is after theirs [CONTRACT §14]', async (_, failures) => {
  const others: number[] = [];
  failFirst(failures, async () => others.push((await make.customer()).id), false);
  const { id } = await make.customer();
  expect(await feed()).toEqual([...others, id]);
});

test('a lost response, and another commit before the next attempt: the same transaction, applied once [CONTRACT §14]', async () => {
  const others: number[] = [];
  const lost = () => fault('Error', { code: 'ECONNRESET' });
  failFirst([lost], async () => others.push((await make.customer()).id), true);
  const answer = await make.send('POST', '/v1/customers', { name: 'Ada' });
  expect(outcome(answer)).toEqual([201, undefined]);
  expect(await feed()).toEqual([answer.json.id, ...others]);
  expect(await rowsOf(service, 'customers', make.account_id)).toHaveLength(2);
});

test('a lost response and then a conflict: the transaction stays the same, because the first attempt may be applied [CONTRACT §14]', async () => {
  const ids = new Set<unknown>();
  service.client.middlewareStack.add(
    (next) => async (call) => {
      const { TransactItems = [] } = call.input as {
        TransactItems?: { Put?: { TableName?: string; Item: { id: unknown } } }[];
      };
      for (const { Put } of TransactItems) if (Put?.TableName === 'outbox') ids.add(JSON.stringify(Put.Item.id));
      return next(call);
    },
    { step: 'initialize', name: 'ids', override: true },
  );
  failFirst([() => fault('Error', { code: 'ECONNRESET' }), canceled('TransactionConflict')], async () => {}, false);
  const { id } = await make.customer();
  service.client.middlewareStack.remove('ids');
  expect([await feed(), ids.size]).toEqual([[id], 1]);
});
