import { expect, test } from '@jest/globals';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';
import { createSealer } from '#test/support/state/pages.ts';
import { countAttempts, forEachLoad, type Load, print, tally } from './support/load.ts';

/* Requests of one account that change the same item, where a transaction holds it for as long as on AWS. */

const PARALLEL = 64;
const ROUNDS = 3;
const HOLD_MS = 12;
const MAX_EACH = 4;

let load: Load;
forEachLoad((started) => {
  load = started;
});

type Send = (i: number) => Promise<{ readonly status: number }>;

const payInvoice = async (make: Makers): Promise<Send> => {
  const { id: invoice_id } = await make.invoice({ total_cents: PARALLEL * 100, status: 'open' });
  return () => make.send('POST', '/v1/payments', { invoice_id, amount_cents: 100 });
};

const invoiceCustomer = async (make: Makers): Promise<Send> => {
  const { id: customer_id } = await make.customer();
  return () => make.send('POST', '/v1/invoices', { customer_id, total_cents: 100 });
};

const issueInvoices = async (make: Makers): Promise<Send> => {
  const { id: series_id } = await make.create('number-series', { prefix: 'A-' });
  return () => make.send('POST', '/v1/invoices', { series_id, total_cents: 100 });
};

const deleteCustomers = async (make: Makers, sealsAfter: number): Promise<Send> => {
  const sealer = createSealer(load.service, sealsAfter);
  await sealer.index(make.account_id, 'customers').request();
  const isTail = sealsAfter === 0;
  if (isTail) await sealer.run();
  const paths: string[] = [];
  for (let i = 0; i < PARALLEL; i++) paths.push((await make.customer()).path);
  if (!isTail) await sealer.run();
  return (i) => make.send('DELETE', paths[i] as string);
};

const CASES: readonly (readonly [string, (make: Makers) => Promise<Send>])[] = [
  ['payments of one invoice', payInvoice],
  ['invoices of one customer', invoiceCustomer],
  ['invoices with numbers of one series', issueInvoices],
  ['deletes of rows that a page index counts', (make) => deleteCustomers(make, 120_000)],
  ['deletes of rows that a page index counts soon', (make) => deleteCustomers(make, 0)],
];

test.each(CASES)(
  `${PARALLEL} %s: all are accepted, with at most ${MAX_EACH} transactions each`,
  async (name, prepare) => {
    const take = countAttempts(load.service.client);
    const statuses: number[] = [];
    const transactions: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const make = makers(load.service, { account: newAccount() });
      const send = await prepare(make);
      take();
      load.limit({ holdMs: HOLD_MS });
      const answers = await Promise.all(Array.from({ length: PARALLEL }, (_, i) => send(i)));
      load.limit();
      statuses.push(...answers.map(({ status }) => status));
      transactions.push(take()['TransactWriteItems'] ?? 0);
      await checkInvariants(load.service, make.account_id);
    }
    const each = transactions.reduce((sum, count) => sum + count, 0) / statuses.length;
    print({ [name]: tally(statuses), transactions, each });
    expect(statuses.filter((status) => status >= 300)).toEqual([]);
    expect(each).toBeLessThanOrEqual(MAX_EACH);
    expect(each).toBeGreaterThan(1);
  },
  300_000,
);
