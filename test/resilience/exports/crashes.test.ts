import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { isDeep, partOf, stride } from '#test/support/extent/extent.ts';
import { type Crashes, injectCrashes } from '#test/support/faults/crash.ts';
import type { Answer } from '#test/support/service/client.ts';
import { createLargeCustomers, type Exports, startExports } from '#test/support/service/exports.ts';
import { makers } from '#test/support/service/makers.ts';

/*
 * The worker or the reconciler dies before or after each of its AWS calls. Then time passes, both run again, and the
 * file must be the same, byte for byte.
 */

let service: Exports;
let crashes: Crashes;

/** A worker that uploads parts of the minimum size of S3. */
const worker: typeof writeExport = {
  ...writeExport,
  handle: (message, stores) => exportFile(message, stores, 5 * 2 ** 20),
};
const ROWS = 104;
/** A remaining time in which each call of the worker writes one page and releases the job. */
const SHORT_TIME_MS = 29_000;
const COMMON = ['BatchGetItemCommand', 'UpdateItemCommand', 'TransactWriteItemsCommand', 'QueryCommand'];
const UPLOAD = ['CreateMultipartUploadCommand', 'UploadPartCommand', 'CompleteMultipartUploadCommand'];
const REST = ['PutObjectCommand', 'GetObjectCommand', 'SendMessageBatchCommand'];

const FEW_ROWS = 24;
/** The time before the last `FEW_ROWS` rows. */
let late: string;

beforeAll(async () => {
  service = await startExports();
  crashes = injectCrashes(Object.values(service.own));
  const make = makers(service);
  await createLargeCustomers(make, ROWS - FEW_ROWS);
  late = new Date().toISOString();
  await createLargeCustomers(make, FEW_ROWS);
});
afterAll(() => service.stop());

/** Runs the workers, with time passing in between, until the job has ended. */
const runUntilEnd = async (id: number): Promise<number> => {
  for (let round = 1; round <= 8; round++) {
    await service.drain({ worker });
    const { status } = await service.job(id);
    if (status !== 'pending' && status !== 'running') return round;
    await service.elapse(id);
    await service.reconcile();
  }
  throw new Error('The job has not ended after 8 rounds.');
};

const request = (filter: object) => service.request({ type: 'customers', format: 'jsonl', filter });

const fileFields = ({ status, row_count, size_bytes, sha256 }: Answer['json']) => ({
  status,
  row_count,
  size_bytes,
  sha256,
});

/** Exports without a crash, and returns the job and the AWS calls. */
const exportWithoutCrash = async (remaining: number, filter: object) => {
  const id = await request(filter);
  crashes.plan();
  await service.drain({ worker, remaining });
  return { calls: [...crashes.calls], job: await service.job(id) };
};

const WHEN = ['before', 'after'] as const;

const IN_ONE_ATTEMPT = { remaining: 300_000, step: 1, small: false, calls: [...COMMON, ...UPLOAD] };

describe.each([
  ...(isDeep ? [['in one attempt', IN_ONE_ATTEMPT] as const] : []),
  [
    'a small file, one page in each attempt',
    { remaining: SHORT_TIME_MS, step: 1, small: true, calls: [...COMMON, ...REST] },
  ],
  [
    'one page in each attempt',
    { remaining: SHORT_TIME_MS, step: 9, small: false, calls: [...COMMON, ...UPLOAD, ...REST] },
  ],
])('a worker that dies at any AWS call: %s [CONTRACT §9]', (_, { remaining, step, small, calls }) => {
  test.each(partOf(WHEN, 2, Number(small)))(
    '%s the call: the file is the same, and no upload is left',
    async (when) => {
      const filter = small ? { created_from: late } : {};
      const expected = await exportWithoutCrash(remaining, filter);
      expect(expected.job).toMatchObject({ status: 'completed', row_count: small ? FEW_ROWS : ROWS });
      expect([...new Set(expected.calls)].sort()).toEqual(calls.sort());
      // In a part of the tests, the worker dies either before or after a call, not both.
      const first = 1 + step * (stride(when === 'before' ? 2 : 4) - 1);
      expect(first).toBeLessThanOrEqual(expected.calls.length);
      for (let number = first; number <= expected.calls.length; number += step * stride(60)) {
        const id = await request(filter);
        crashes.plan({ number, when });
        await service.drain({ worker, remaining });
        crashes.plan();
        await runUntilEnd(id);
        expect([number, expected.calls[number - 1], fileFields(await service.job(id))]).toEqual([
          number,
          expected.calls[number - 1],
          fileFields(expected.job),
        ]);
      }
      await service.reconcile(16);
      expect(await service.uploads()).toEqual([]);
    },
  );
});

test.each(WHEN)('a reconciler that dies %s any AWS call: the job is completed [CONTRACT §9]', async (when) => {
  const filter = { created_from: late };
  const { job } = await exportWithoutCrash(300_000, filter);
  for (let number = 1, calls = 1; number <= calls; number += stride(50)) {
    const id = await request(filter);
    await service.purge();
    await service.elapse(id);
    crashes.plan({ number, when });
    await service.reconcile().catch(() => {});
    calls = Math.max(calls, crashes.calls.length + (crashes.calls.length === number ? stride(50) : 0));
    crashes.plan();
    await runUntilEnd(id);
    expect(fileFields(await service.job(id))).toEqual(fileFields(job));
  }
});
