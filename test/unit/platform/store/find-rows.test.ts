import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { activationWrites } from '#shared/platform/store/page-index/writes.ts';
import { type Data, invoice, startData } from '#test/unit/platform/engine.ts';

/** More ids than DynamoDB accepts in one BatchGetItem. */
const ROWS = 120;

let data: Data;
beforeAll(async () => {
  data = await startData();
  const rows = Array.from({ length: ROWS }, (_, i) => invoice(i + 1));
  for (const account of ['acct_1', 'acct_2']) {
    const { invoices } = data.stores(account);
    await Promise.all(rows.map((row) => data.commit(...invoices.insert({ ...row, description: account }))));
  }
});
afterAll(() => data.stop());

type Answer = { output: { Responses?: Record<string, unknown[]>; UnprocessedKeys?: object } };

/** Changes the responses to BatchGetItem while `run` runs. */
const withChangedResponses = async (
  change: (input: never, answer: Answer) => Promise<void>,
  run: () => Promise<void>,
): Promise<void> => {
  data.client.middlewareStack.add(
    (next, { commandName }) =>
      async (call) => {
        if (!commandName?.startsWith('BatchGet')) return next(call);
        const answer = await next(call);
        await change(call.input as never, answer as Answer);
        return answer;
      },
    { step: 'initialize', name: 'change-responses', priority: 'high' },
  );
  try {
    await run();
  } finally {
    data.client.middlewareStack.remove('change-responses');
  }
};

test('any number of ids, also repeated or missing ids: the members of the account with these ids [§5]', async () => {
  const { invoices } = data.stores('acct_1');
  const ids = [...Array.from({ length: ROWS }, (_, i) => i + 1), 1, 1, 9999, Number.MAX_SAFE_INTEGER];
  const found = await invoices.find(ids);
  expect([...found.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: ROWS }, (_, i) => i + 1));
  for (const [id, row] of found) expect([row.id, row.description]).toEqual([id, 'acct_1']);
  expect((await invoices.find([])).size).toBe(0);
  expect((await data.stores('acct_3').invoices.find([1, 2])).size).toBe(0);
});

test('attributes: members and rows of a list have only these, their id and their version, also by type [§4]', async () => {
  const { invoices } = data.stores('acct_1');
  const one = await invoices.get(1, ['total_cents', 'status']);
  expect(one).toEqual({ id: 1, version: 1, total_cents: 0, status: 'open' });
  // @ts-expect-error: an attribute that was not read
  expect(one.currency).toBeUndefined();
  const found = await invoices.find([1, 2], ['total_cents']);
  expect([...found.values()].sort((a, b) => a.id - b.id)).toEqual([
    { id: 1, version: 1, total_cents: 0 },
    { id: 2, version: 1, total_cents: 0 },
  ]);
  const page = {
    style: 'cursor',
    order: 'ascending',
    limit: 1,
    after: undefined,
    attributes: ['total_cents'],
  } as const;
  for (const filter of [{}, { status: 'open' }])
    expect((await invoices.list({ ...page, filter })).rows).toEqual([{ id: 1, version: 1, total_cents: 0, ...filter }]);
});

test('keys that DynamoDB leaves unprocessed: requested again [CONTRACT §10]', async () => {
  let rounds = 0;
  const leaveHalf = async (input: { RequestItems: { invoices: { Keys: { id: number }[] } } }, { output }: Answer) => {
    rounds++;
    const { Keys } = input.RequestItems.invoices;
    if (Keys.length < 2) return;
    const left = Keys.slice(Math.ceil(Keys.length / 2));
    const rows = output.Responses?.['invoices'] as { id: number }[];
    output.Responses = { invoices: rows.filter(({ id }) => !left.some((key) => key.id === id)) };
    output.UnprocessedKeys = { invoices: { ...input.RequestItems.invoices, Keys: left } };
  };
  await withChangedResponses(leaveHalf as never, async () => {
    const ids = Array.from({ length: 10 }, (_, i) => i + 1);
    expect([...(await data.stores('acct_1').invoices.find(ids)).keys()].sort((a, b) => a - b)).toEqual(ids);
  });
  expect(rounds).toBeGreaterThan(2);
});

test('keys that DynamoDB always leaves unprocessed: unavailable after at most 10 attempts [CONTRACT §10]', async () => {
  let rounds = 0;
  const leaveAll = async (input: { RequestItems: object }, { output }: Answer) => {
    rounds++;
    output.Responses = {};
    output.UnprocessedKeys = input.RequestItems;
  };
  await withChangedResponses(leaveAll as never, async () => {
    await expect(data.stores('acct_1').invoices.find([1])).rejects.toMatchObject({ code: 'unavailable' });
  });
  expect(rounds).toBeLessThanOrEqual(10);
});

test('a removal of an indexed member: only of one that was read for it, by type; it counts in an active page index [CONTRACT §5]', async () => {
  const { invoices } = data.stores('acct_1');
  expect(invoices.remove(await invoices.getForRemoval(1)).map(({ table }) => table)).toEqual(['invoices']);
  await data.commit(...activationWrites(invoices.pageIndex.partitions, 0));
  const member = await invoices.getForRemoval(1);
  expect(invoices.remove(member).map(({ table }) => table)).toEqual(['invoices', 'pages']);
  // @ts-expect-error: its place in the page index was not read
  expect(invoices.remove(await invoices.get(1))).toHaveLength(1);
});
