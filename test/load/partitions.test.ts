import { expect, test } from '@jest/globals';
import { tables } from '#shared/invoicing/tables.ts';
import { createWebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import { DUE_PARTITIONS, dueIndex, indexKeys } from '#shared/platform/dynamodb/table.ts';
import { createId } from '#shared/platform/id.ts';
import { newAccount } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { forEachLoad, type Load, print } from './support/load.ts';

/*
 * L8: the rows that are due are in 16 partitions of an index. One of them has more than a run of the reconciler can handle,
 * all of one account.
 */

const DUE = 6000;
/** The worker has 60 s on AWS. It keeps the last 12 s for calls to S3, so a run with less fails when it lists uploads. */
const RUN_MS = 20_000;
const SCALE = 1 / 4;
const [FULL, ...OTHERS] = DUE_PARTITIONS;

let load: Load;
forEachLoad((started) => {
  load = started;
});

const AT = new Date(Date.now() - 3_600_000).toISOString();

const TERMS = {
  url: 'https://example.com',
  description: null,
  event_types: ['customer.created'],
  status: 'enabled',
} as const;

const dueEndpoint = (id: number) => ({
  ...createWebhookEndpoint(TERMS, 'secret', { sequence: 0, last_id: 0 }, { id, at: AT }),
  due_at: Date.parse(AT),
});

const partitionOf = (account: string, row: object): unknown =>
  indexKeys(tables.webhookEndpoints, account, row)[dueIndex('due_at').name];

/** Puts due webhook endpoints of an account whose rows are in one partition of the index. */
const putDue = async (account: string, partition: string | undefined, count: number): Promise<void> => {
  const rows: ReturnType<typeof dueEndpoint>[] = [];
  for (let id = createId(AT, 0); rows.length < count; id++) {
    const row = dueEndpoint(id);
    if (partitionOf(account, row) === partition) rows.push(row);
  }
  await load.put('webhookEndpoints', account, rows);
};

/** The webhook endpoints for which a message was sent. */
const sent = async (account: string): Promise<number> =>
  (await rowsOf(load.service, 'webhookEndpoints', account)).filter(({ due_at }) => due_at === undefined).length;

test(`${DUE} due webhook endpoints in one of ${DUE_PARTITIONS.length} partitions: one run sends a message for one in each other partition`, async () => {
  const busy = newAccount();
  const others = OTHERS.map((partition) => ({ account: newAccount(), partition }));
  await putDue(busy, FULL, DUE);
  for (const { account, partition } of others) await putDue(account, partition, 1);
  load.limit({ scale: SCALE });
  await load.service.schedule('workers/reconcile', RUN_MS);
  load.limit();
  const counts = await Promise.all([busy, ...others.map(({ account }) => account)].map(sent));
  print({ sent: counts });
  expect(counts.slice(1)).toEqual(others.map(() => 1));
  expect(counts[0]).toBeGreaterThan(0);
  // One run could not handle all of them, so the others have not waited for its end.
  expect(counts[0]).toBeLessThan(DUE);
}, 120_000);
