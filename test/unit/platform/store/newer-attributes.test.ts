import { afterAll, expect, test } from '@jest/globals';
import type { Customer } from '#shared/invoicing/customers/rules.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { Store } from '#shared/platform/store/store.ts';
import { customer, startData } from '#test/unit/platform/engine.ts';

const data = await startData();
afterAll(() => data.stop());

type Tiered = Customer & { readonly tier: string };
const table = { ...tables.customers, storedBefore: { tier: 'basic' } };
const customers = new Store<Tiered>(data.engine, table, 'acct_1');

const LIST = { style: 'cursor', limit: 10, order: 'ascending', after: undefined, attributes: ['tier'] } as const;

test('a row that is older than an attribute with `storedBefore`: each read has its value, and a write can rely on it [docs/decisions/0067]', async () => {
  const row = customer(1, { email: 'a@b.c' });
  await data.put('customers', 'acct_1', { ...row, by_email: 'acct_1#a@b.c' });
  const expected = { id: 1, version: 1, tier: 'basic' };
  const old = await customers.get(1);
  expect(old).toMatchObject(expected);
  expect(await customers.get(1, ['tier'])).toEqual(expected);
  expect(await customers.get(1, ['name'])).toEqual({ id: 1, version: 1, name: row.name });
  expect((await customers.find([1], ['tier'])).get(1)).toEqual(expected);
  expect((await customers.findCommitted([1])).get(1)).toMatchObject(expected);
  for (const filter of [{}, { email: 'a@b.c' }])
    expect((await customers.list({ ...LIST, filter })).rows).toEqual([expect.objectContaining(expected)]);
  const range = { from: 0, before: 10, filter: {}, attributes: ['id', 'tier'] };
  expect((await Array.fromAsync(customers.rows(range))).flatMap(({ rows }) => rows)).toEqual([
    { id: 1, tier: 'basic' },
  ]);

  await data.commit(...customers.move(old, { tier: 'gold' }, ['tier']));
  expect(await customers.get(1, ['tier'])).toEqual({ ...expected, tier: 'gold' });
  await expect(data.commit(...customers.move(old, { tier: 'silver' }, ['tier']))).rejects.toThrow('version-conflict');
});
