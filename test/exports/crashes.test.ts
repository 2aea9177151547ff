import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import type { Consumer } from '#shared/platform/worker.ts';
import { type Crashes, injectCrashes } from '#test/support/crash.ts';
import { type Exports, startExports } from '#test/support/exports.ts';
import type { Answer } from '#test/support/service.ts';

/*
 * The worker and the reconciler die before and after every one of their AWS calls. Then time passes, the reconciler
 * and the worker do what is due, and the file is the same, byte for byte.
 */

let service: Exports;
let crashes: Crashes;

/** A worker of the smallest parts that S3 takes. */
const worker: Consumer = {
  ...writeExport,
  handle: (message, stores) => exportFile(message, stores, 5 * 2 ** 20),
};
const ROWS = 104;
/** So little time that each call of the worker does one page and hands over. */
const SHORT_TIME_MS = 20_000;
const COMMON = ['BatchGetItemCommand', 'UpdateItemCommand', 'TransactWriteItemsCommand', 'QueryCommand'];
const UPLOAD = ['CreateMultipartUploadCommand', 'UploadPartCommand', 'CompleteMultipartUploadCommand'];
const REST = ['PutObjectCommand', 'GetObjectCommand', 'SendMessageCommand'];

/** The rows of a small file, and the time before the first of them. */
const FEW_ROWS = 24;
let late: string;

beforeAll(async () => {
  service = await startExports();
  crashes = injectCrashes(Object.values(service.own));
  // Rows as large as can be, so that few of them make parts of the size that S3 demands.
  const text = (length: number) => '€'.repeat(length);
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, key) => [`key${key}`, text(500)]));
  const [line1, line2, city, region, postal_code] = Array.from({ length: 5 }, () => text(1000));
  const body = { name: text(1000), tax_id: text(1000), address: { line1, line2, city, region, postal_code }, metadata };
  for (let made = 0; made < ROWS; made += 8) {
    if (made === ROWS - FEW_ROWS) late = new Date().toISOString();
    await Promise.all(Array.from({ length: 8 }, () => service.send('/v1/customers', { method: 'POST', body })));
  }
}, 30_000);
afterAll(() => service.stop());

/** Lets the workers do all there is, with time passing in between, until the job has ended. */
const settle = async (id: number): Promise<number> => {
  for (let round = 1; round <= 8; round++) {
    await service.drain({ worker });
    const { status } = await service.job(id);
    if (status !== 'pending' && status !== 'running') return round;
    await service.elapse(id);
    await service.reconcile();
  }
  throw new Error('The job does not end.');
};

const request = (filter: object) => service.request({ type: 'customers', format: 'jsonl', filter });

const fileFields = ({ status, row_count, size_bytes, sha256 }: Answer['json']) => ({ status, row_count, size_bytes, sha256 });

/** What the file is when nothing goes wrong, and the calls that make it. */
const undisturbed = async (remaining: number, filter: object) => {
  const id = await request(filter);
  crashes.plan();
  await service.drain({ worker, remaining });
  return { calls: [...crashes.calls], job: await service.job(id) };
};

const WHEN = ['before', 'after'] as const;

describe.each([
  ['in one go', { remaining: 300_000, step: 1, small: false, calls: [...COMMON, ...UPLOAD] }],
  ['a small file, handed over page by page', { remaining: SHORT_TIME_MS, step: 1, small: true, calls: [...COMMON, ...REST] }],
  ['handed over page by page', { remaining: SHORT_TIME_MS, step: 9, small: false, calls: [...COMMON, ...UPLOAD, ...REST] }],
])('CONTRACT §9: a worker that dies at any AWS call: %s', (_, { remaining, step, small, calls }) => {
  test.each(WHEN)(
    '%s it: the same file, and no upload left',
    async (when) => {
      const filter = small ? { created_from: late } : {};
      const whole = await undisturbed(remaining, filter);
      expect(whole.job).toMatchObject({ status: 'completed', row_count: small ? FEW_ROWS : ROWS });
      expect([...new Set(whole.calls)].sort()).toEqual(calls.sort());
      for (let number = 1; number <= whole.calls.length; number += step) {
        const id = await request(filter);
        crashes.plan({ number, when });
        await service.drain({ worker, remaining });
        crashes.plan();
        await settle(id);
        expect([number, whole.calls[number - 1], fileFields(await service.job(id))]).toEqual([
          number,
          whole.calls[number - 1],
          fileFields(whole.job),
        ]);
      }
      await service.reconcile(16);
      expect(await service.uploads()).toEqual([]);
    },
    120_000,
  );
});

test.each(WHEN)(
  'CONTRACT §9: a reconciler that dies %s any AWS call: the job is done all the same',
  async (when) => {
    const filter = { created_from: late };
    const { job } = await undisturbed(300_000, filter);
    for (let number = 1, calls = 1; number <= calls; number++) {
      const id = await request(filter);
      await service.purge();
      await service.elapse(id);
      crashes.plan({ number, when });
      await service.reconcile().catch(() => {});
      calls = Math.max(calls, crashes.calls.length + (crashes.calls.length === number ? 1 : 0));
      crashes.plan();
      await settle(id);
      expect(fileFields(await service.job(id))).toEqual(fileFields(job));
    }
  },
  60_000,
);
