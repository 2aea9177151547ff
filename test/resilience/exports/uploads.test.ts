import { createHash } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import type { EXPORT_USES } from '#shared/invoicing/exports/attempt.ts';
import { LeaseLostError } from '#shared/invoicing/exports/lease.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { Files, StoredUpload } from '#shared/platform/files/files.ts';
import { deepTest as test } from '#test/support/extent/deep-test.ts';
import { CLOCKS } from '#test/support/service/clock.ts';
import { createLargeCustomers, type Exports, startExports } from '#test/support/service/exports.ts';
import { type Makers, makers, newAccount } from '#test/support/service/makers.ts';

/* Files that are large enough for an upload in parts. */

let service: Exports;
let make: Makers;
const account_id = newAccount();
const ROWS = 208;
/** The minimum size of a part in S3. */
const PART_BYTES = 5 * 2 ** 20;

beforeAll(async () => {
  service = await startExports();
  make = makers(service, { account: account_id });
  await createLargeCustomers(make, ROWS);
});
afterAll(() => service.stop());
beforeEach(() => service.purge());
afterEach(() => {
  jest.useRealTimers();
});

/** A worker with small parts, and with other implementations of some calls of S3. */
const workerWith = (change: (files: Files) => Partial<Files> = () => ({})): typeof writeExport => ({
  ...writeExport,
  handle: (message, stores) => {
    const { files } = stores;
    const bound: Pick<Files, (typeof EXPORT_USES)['files'][number]> = {
      put: files.put.bind(files),
      read: files.read.bind(files),
      beginUpload: files.beginUpload.bind(files),
      uploadPart: files.uploadPart.bind(files),
      completeUpload: files.completeUpload.bind(files),
    };
    return exportFile(message, { ...stores, files: { ...bound, ...change(files) } }, PART_BYTES);
  },
});

const failOnCall = (message: string): never => {
  throw new Error(message);
};

const request = async (): Promise<number> => (await make.export()).id;
const job = (id: number) => make.get(`/v1/exports/${id}`);
const stored = async (id: number): Promise<Export> => {
  const { Item } = await service.client.send(new GetCommand({ TableName: 'exports', Key: { account_id, id } }));
  return Item as Export;
};
const work = (export_id: number, worker: typeof writeExport, remaining?: number) =>
  service.work([{ account_id, export_id }], { worker, ...(remaining && { remaining }) });

/** Checks the file of a completed export: size, SHA-256, number of rows. */
const expectFile = async (id: number): Promise<string> => {
  const done = await job(id);
  expect(done).toMatchObject({ status: 'completed', row_count: ROWS, error: null });
  const key = (await stored(id)).file_key as string;
  const file = await service.read(`${account_id}/${key}`);
  expect([done.size_bytes, done.sha256]).toEqual([file.length, createHash('sha256').update(file).digest('hex')]);
  expect(file.toString().split('\n').filter(Boolean)).toHaveLength(ROWS);
  return key;
};

test('an earlier attempt overwrites a part: the file is begun again under another name [CONTRACT §9]', async () => {
  const export_id = await request();
  const rivals = { parts: 0 };
  const worker = workerWith((files) => ({
    completeUpload: async (upload, signal) => {
      if (rivals.parts++ === 0) await files.uploadPart(upload.key, upload.id, 1, Buffer.alloc(PART_BYTES));
      return files.completeUpload(upload, signal);
    },
  }));
  expect((await work(export_id, worker)).batchItemFailures).toEqual([]);
  expect([await expectFile(export_id), rivals.parts]).toEqual([`${export_id}/2.jsonl`, 2]);
});

test('any attempt completes only the parts of a committed checkpoint [CONTRACT §9]', async () => {
  const export_id = await request();
  const completions: StoredUpload[] = [];
  const dies = workerWith(() => ({
    completeUpload: async (upload) => {
      completions.push(upload);
      expect((await stored(export_id)).checkpoint).toMatchObject({ upload, sha256: expect.any(String) });
      throw new Error('died');
    },
  }));
  await work(export_id, dies);
  await service.elapse(export_id, account_id);
  const lostAnswer = workerWith((files) => ({
    uploadPart: () => failOnCall('A part was stored again.'),
    completeUpload: async (upload, signal) => {
      completions.push(upload);
      await files.completeUpload(upload, signal);
      throw new Error('lost');
    },
  }));
  await work(export_id, lostAnswer);
  await service.elapse(export_id, account_id);
  await work(export_id, workerWith());
  expect(await expectFile(export_id)).toBe(`${export_id}/1.jsonl`);
  expect(completions[1]).toEqual(completions[0]);
});

describe('S3 takes long to complete an upload', () => {
  test('with too little time left: the next call completes it, without reading the rows again [CONTRACT §9]', async () => {
    const export_id = await request();
    let completions = 0;
    const worker = workerWith((files) => ({
      completeUpload: (upload, signal) => {
        completions += 1;
        return files.completeUpload(upload, signal);
      },
    }));
    await work(export_id, worker, 140_000);
    expect([(await job(export_id)).status, completions]).toEqual(['running', 0]);
    expect((await service.receive()).map(({ Body }) => JSON.parse(Body as string))).toContainEqual({
      account_id,
      export_id,
    });
    const rows = () => failOnCall('Rows were read again.');
    const resumes: typeof writeExport = {
      ...worker,
      handle: (message, stores) => worker.handle(message, { ...stores, customers: { rows } } as never),
    };
    expect((await work(export_id, resumes, 140_000)).batchItemFailures).toEqual([]);
    await expectFile(export_id);
    expect(completions).toBe(1);
  });

  test('an export that is canceled meanwhile: the call is aborted, and the export stays canceled [CONTRACT §12]', async () => {
    const export_id = await request();
    let reason: unknown;
    const slow = workerWith(() => ({
      completeUpload: async (_, signal) => {
        await make.send('POST', `/v1/exports/${export_id}/cancel`);
        jest.advanceTimersByTime(30_000);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reason = signal.reason;
        throw reason;
      },
    }));
    jest.useFakeTimers({ doNotFake: CLOCKS.filter((clock) => !/Interval/.test(clock)) });
    expect((await work(export_id, slow)).batchItemFailures).toEqual([]);
    jest.useRealTimers();
    expect(reason).toBeInstanceOf(LeaseLostError);
    expect((await job(export_id)).status).toBe('canceled');
  });
});

test('a deployment adds fields between two attempts: the file has the columns of the first one [CONTRACT §9]', async () => {
  const export_id = (await make.export({ format: 'csv' })).id;
  const expression = new Expression();
  const change = {
    UpdateExpression: expression.update({ set: { columns: ['id', 'name'] } }),
    ...expression.placeholders(),
  };
  await service.client.send(new UpdateCommand({ TableName: 'exports', Key: { account_id, id: export_id }, ...change }));
  await service.work([{ account_id, export_id }]);
  const file = await service.read(`${account_id}/${(await stored(export_id)).file_key}`);
  expect(file.toString()).toMatch(/^id,name\r\n/);
});
