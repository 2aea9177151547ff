import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import { createId } from '#shared/platform/id.ts';
import type { Account } from '#test/support/service/webhooks.ts';
import { recordOf } from '#test/support/service/workers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { DYNAMODB_LIMITS } from './engine/limits.ts';
import { invoiceRow } from './support/invoices.ts';
import { countAttempts, forEachLoad, type Load, percentile, print, tally } from './support/load.ts';

/*
 * 20 exports of one account at once, on a partition without burst credit. At a scale of 1/10, a page is a tenth of
 * 1 MB; the account's own requests and the exports have the same ratio as on AWS.
 */

const EXPORTS = 20;
const PAGES = 12;
const SCALE = 1 / 10;
const PAGE_ROWS = 260;
/** Of the pauses before a message is received again, so that a failed message costs as much of the run as on AWS. */
const PAUSES = 1 / 20;
const LIMIT_MS = 90_000;
const REQUEST_MS = 100;
/** The rest is for the account's requests (CONTRACT §9), so the exports cannot use 85 % of the partition, as once designed. */
const EXPORT_SHARE = 0.5;

let load: Load;
const READ_UNITS = DYNAMODB_LIMITS.readUnits * SCALE;
forEachLoad(
  (started) => {
    load = started;
  },
  { PARTITION_READ_UNITS: String(READ_UNITS) },
);

/** Invoices whose pages are as large as those of 1 MB are on AWS, at the scale. */
const putInvoices = async (account: string): Promise<number[]> => {
  const count = PAGES * PAGE_ROWS;
  const first = Date.now() - 1000 * (count + 1000);
  const rows = Array.from({ length: count }, (_, i) => {
    const at = new Date(first + i * 1000).toISOString();
    return { ...invoiceRow(createId(at, i % 4096), at), description: 'x'.repeat(100) };
  });
  await load.put('invoices', account, rows);
  return rows.map(({ id }) => id);
};

/** Reads single invoices at a steady rate until it is stopped. */
const startReading = (account: Account, ids: readonly number[]) => {
  const [statuses, times]: [number[], number[]] = [[], []];
  const progress = { isOver: false };
  const running: Promise<void>[] = [];
  const read = async (id: number) => {
    const begin = performance.now();
    statuses.push((await account.send('GET', `/v1/invoices/${id}`)).status);
    times.push(performance.now() - begin);
  };
  const loop = (async () => {
    for (let i = 0; !progress.isOver; i++) {
      running.push(read(ids[(i * 7919) % ids.length] as number));
      await sleep(REQUEST_MS);
    }
  })();
  return async () => {
    progress.isOver = true;
    await loop;
    await Promise.all(running);
    return { statuses: tally(statuses), p99: Math.round(percentile(times, 0.99)), count: statuses.length };
  };
};

/** Handles the message of an export as SQS delivers it: again after a pause when it has failed. */
const work = async (account: string, export_id: number, until: number): Promise<number> => {
  for (let receives = 1; receives <= 5; receives++) {
    const Records = [recordOf({ account_id: account, export_id }, receives)];
    const { batchItemFailures } = await load.service.run<SQSBatchResponse>('workers/export', { Records }, 300_000);
    if (batchItemFailures.length === 0) return receives;
    const pause = PAUSES * 30_000 * 2 ** (receives - 1);
    if (Date.now() + pause > until) return receives;
    await sleep(pause);
  }
  return 5;
};

test(`${EXPORTS} exports of one account: all complete, use the partition, and leave the account its requests`, async () => {
  const { service } = load;
  const [busy, other] = [service.account(), service.account()];
  const ids = await putInvoices(busy.id);
  const others = (await putInvoices(other.id)).slice(0, 100);
  load.limit({ scale: SCALE, pageRows: PAGE_ROWS });
  const alone = startReading(other, others);
  await sleep(3000);
  const before = await alone();
  const jobs: number[] = [];
  for (let i = 0; i < EXPORTS; i++)
    jobs.push((await busy.send('POST', '/v1/exports', { type: 'invoices', format: 'jsonl' })).json.id);
  await sleep(6000);
  load.limit({ scale: SCALE, pageRows: PAGE_ROWS });
  const take = countAttempts(service.own.dynamo);
  const readers = [startReading(busy, ids), startReading(other, others)];
  const begin = Date.now();
  const receives = await Promise.all(jobs.map((id) => work(busy.id, id, begin + LIMIT_MS)));
  const seconds = (Date.now() - begin) / 1000;
  const [own, foreign] = await Promise.all(readers.map((stop) => stop()));
  const { units, refusals } = load.usage(
    ({ kind, name, value }) => kind === 'read' && name === 'invoices' && value === busy.id,
  );
  const used = units / (seconds * READ_UNITS);
  const foreignRefusals = load.usage(({ value }) => !value.startsWith(busy.id)).refusals;
  const rows = await rowsOf(service, 'exports', busy.id);
  const states = tally(rows.map(({ status }) => String(status)));
  const counts = { used, refusals, foreignRefusals, receives: tally(receives), queries: take()['Query'] };
  print({ states, seconds, ...counts, own, foreign, before });
  load.limit();
  expect(states).toEqual({ completed: EXPORTS });
  // With the account's requests. Exports count each other every 5 s, and use less while some of them begin and end.
  expect(used).toBeGreaterThanOrEqual(0.65 * EXPORT_SHARE);
  expect(used).toBeLessThanOrEqual(EXPORT_SHARE);
  expect(own?.statuses['503'] ?? 0).toBeLessThanOrEqual(0.01 * (own?.count ?? 0));
  expect([foreign?.statuses, foreignRefusals]).toEqual([{ 200: foreign?.count }, 0]);
}, 180_000);
