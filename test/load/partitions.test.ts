import { expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { DUE_PARTITIONS, indexKeys, indexName } from '#shared/platform/dynamodb/table.ts';
import { newAccount } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { putDeliveries } from './support/deliveries.ts';
import { forEachLoad, type Load, print } from './support/load.ts';

/* L8: the reconciler finds due jobs in 16 partitions of an index; one of them has more than a run can handle. */

const DUE = 4000;
/** The run of a worker has 60 s on AWS, in which a partition takes 60,000 write units. */
const RUN_MS = 10_000;
const SCALE = 1 / 4;

let load: Load;
forEachLoad((started) => {
  load = started;
});

const TABLE = tables.webhookDeliveries;

const partitionOf = (account: string): string =>
  indexKeys(TABLE, account, { due_at: 1 })[indexName({ filters: ['due_at'] })] as string;

/** An account whose due jobs are in this partition. */
const accountIn = (partition: string): string => {
  for (;;) {
    const account = newAccount();
    if (partitionOf(account) === partition) return account;
  }
};

const putDue = (account: string, count: number): Promise<unknown> => {
  const at = new Date(Date.now() - 3_600_000).toISOString();
  return putDeliveries(load, account, { endpoint: 1, event: 1, count, at });
};

const reminded = async (account: string): Promise<number> =>
  (await rowsOf(load.service, 'webhookDeliveries', account)).filter(({ reminders }) => Number(reminders) > 0).length;

test(`${DUE} due jobs in one of the partitions: one run reminds the due job of every other one`, async () => {
  const accounts = DUE_PARTITIONS.map(accountIn);
  const busy = accounts[0] as string;
  await Promise.all(accounts.map((account) => putDue(account, account === busy ? DUE : 1)));
  load.limit({ scale: SCALE });
  await load.service.schedule('workers/reconcile', RUN_MS).catch(() => {});
  load.limit();
  const counts = await Promise.all(accounts.map(reminded));
  print({ reminded: counts });
  expect(counts.slice(1)).toEqual(accounts.slice(1).map(() => 1));
  expect(counts[0]).toBeGreaterThan(0);
}, 60_000);
