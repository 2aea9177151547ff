import { expect, test } from '@jest/globals';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { createSealer } from '#test/support/state/pages.ts';
import { countAttempts, forEachLoad, type Load, print, tally } from './support/load.ts';

/* L6: parallel DELETEs of an account, where a transaction holds its items for as long as on AWS. */

const COUNT = 100;
const HOLD_MS = 12;

let load: Load;
forEachLoad((started) => {
  load = started;
});

/** Deletes customers in parallel. */
const removeAll = async (make: Makers, paths: readonly string[]) => {
  const { service, limiter } = load;
  const take = countAttempts(service.client);
  load.limit({ holdMs: HOLD_MS });
  const before = limiter.conflicts;
  const answers = await Promise.all(paths.map((path) => make.send('DELETE', path)));
  const { TransactWriteItems: transactions = 0 } = take();
  load.limit();
  return { statuses: tally(answers.map(({ status }) => status)), transactions, conflicts: limiter.conflicts - before };
};

const createCustomers = async (make: Makers): Promise<string[]> => {
  const paths: string[] = [];
  for (let i = 0; i < COUNT; i++) paths.push((await make.customer()).path);
  return paths;
};

test('an account that never read a page by number: each delete is one transaction, without a conflict', async () => {
  const make = makers(load.service, { account: newAccount() });
  const figures = await removeAll(make, await createCustomers(make));
  print({ never: figures });
  expect(figures).toEqual({ statuses: { 204: COUNT }, transactions: COUNT, conflicts: 0 });
});

test('an account that reads pages by number: all are deleted, with at most 3 transactions each', async () => {
  const make = makers(load.service, { account: newAccount() });
  const paths = await createCustomers(make);
  await make.get('/v1/customers?page=1');
  await createSealer(load.service, 120_000).run();
  const figures = await removeAll(make, paths);
  print({ sealed: figures });
  expect(figures.statuses).toEqual({ 204: COUNT });
  expect(figures.transactions).toBeLessThanOrEqual(3 * COUNT);
});

test('an account whose new rows wait to be sealed: all are deleted, with at most 3 transactions each', async () => {
  const make = makers(load.service, { account: newAccount() });
  const sealer = createSealer(load.service);
  await sealer.index(make.account_id, 'customers').request();
  await sealer.run();
  const figures = await removeAll(make, await createCustomers(make));
  print({ tail: figures });
  expect(figures.statuses).toEqual({ 204: COUNT });
  expect(figures.transactions).toBeLessThanOrEqual(3 * COUNT);
});
