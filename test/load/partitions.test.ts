import { expect, test } from '@jest/globals';
import { deliveryOf } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { createId } from '#shared/platform/id.ts';
import { newAccount } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { forEachLoad, type Load, print } from './support/load.ts';

/* L8: the rows that are due are in 16 partitions of an index; one account has more than a run of the reconciler can handle. */

const DUE = 4000;
const OTHERS = 16;
/** The run of a worker has 60 s on AWS, in which a partition takes 60,000 write units. */
const RUN_MS = 10_000;
const SCALE = 1 / 4;

let load: Load;
forEachLoad((started) => {
  load = started;
});

const putDue = (account: string, count: number): Promise<void> => {
  const at = new Date(Date.now() - 3_600_000).toISOString();
  const first = createId(at, 0);
  const event = { id: 1, type: 'customer.created', sequence: 1 };
  const rows = Array.from({ length: count }, (_, i) => deliveryOf({ id: 1 }, event, { id: first + i, at }));
  return load.put('webhookDeliveries', account, rows);
};

/** The deliveries for which a message was sent. */
const sent = async (account: string): Promise<number> =>
  (await rowsOf(load.service, 'webhookDeliveries', account)).filter(({ due_at }) => Number(due_at) > Date.now()).length;

test(`${DUE} due deliveries of one account, and one of each of ${OTHERS} others: one run sends a message for every other one`, async () => {
  const [busy = '', ...others] = Array.from({ length: 1 + OTHERS }, newAccount);
  await Promise.all([putDue(busy, DUE), ...others.map((account) => putDue(account, 1))]);
  load.limit({ scale: SCALE });
  await load.service.schedule('workers/reconcile', RUN_MS).catch(() => {});
  load.limit();
  const counts = await Promise.all([busy, ...others].map(sent));
  print({ sent: counts });
  expect(counts.slice(1)).toEqual(others.map(() => 1));
  expect(counts[0]).toBeGreaterThan(0);
}, 60_000);
