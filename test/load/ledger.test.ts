import { expect, test } from '@jest/globals';
import { makers, newAccount } from '#test/support/service/makers.ts';
import { checkInvariants } from '#test/support/state/invariants.ts';
import { countAttempts, forEachLoad, type Load, print, tally } from './support/load.ts';

/* L7: requests of one account that change the same item, where a transaction holds it for as long as on AWS. */

const PARALLEL = 64;
const ROUNDS = 10;
const HOLD_MS = 12;

let load: Load;
forEachLoad((started) => {
  load = started;
});

const CASES = [
  ['payments on one invoice', (make: ReturnType<typeof makers>) => payments(make)],
  ['invoices of one customer', (make: ReturnType<typeof makers>) => invoices(make)],
] as const;

const payments = async (make: ReturnType<typeof makers>) => {
  const { id: invoice_id } = await make.invoice({ total_cents: PARALLEL * 100, status: 'open' });
  return () => make.send('POST', '/v1/payments', { invoice_id, amount_cents: 100 });
};

const invoices = async (make: ReturnType<typeof makers>) => {
  const { id: customer_id } = await make.customer();
  return () => make.send('POST', '/v1/invoices', { customer_id, total_cents: 100 });
};

test.each(CASES)(
  `${PARALLEL} %s: all are accepted, with at most 4 transactions each`,
  async (name, prepare) => {
    const make = makers(load.service, { account: newAccount() });
    const take = countAttempts(load.service.client);
    const statuses: number[] = [];
    const transactions: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const send = await prepare(make);
      take();
      load.limit({ holdMs: HOLD_MS });
      const answers = await Promise.all(Array.from({ length: PARALLEL }, send));
      load.limit();
      statuses.push(...answers.map(({ status }) => status));
      transactions.push(take()['TransactWriteItems'] ?? 0);
    }
    const all = transactions.reduce((sum, count) => sum + count, 0);
    print({ [name]: tally(statuses), transactions, each: all / statuses.length });
    await checkInvariants(load.service, make.account_id);
    expect(tally(statuses)).toEqual({ 201: PARALLEL * ROUNDS });
    expect(all / statuses.length).toBeLessThanOrEqual(4);
  },
  300_000,
);
