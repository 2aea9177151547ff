import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { expect, test } from '@jest/globals';
import writeExport from '#functions/workers/export.ts';
import reconcile from '#functions/workers/reconcile.ts';
import { UPLOAD_DAYS } from '#shared/invoicing/exports/lifetimes.ts';
import { countOverdue } from '#shared/invoicing/exports/reconcile.ts';
import { exportFile } from '#shared/invoicing/exports/worker.ts';
import { createStores } from '#shared/invoicing/stores.ts';
import type { WorkerContext } from '#shared/platform/declarations/worker.ts';
import { CrossAccountQueries } from '#shared/platform/store/cross-account-queries.ts';
import { tableNames } from '#shared/runtime/settings.ts';
import { type Exports, forEachTest } from '#test/support/service/exports.ts';
import type { Makers } from '#test/support/service/makers.ts';

const DAY_MINUTES = 24 * 60;

let service: Exports;
let account_id: string;
let make: Makers;

forEachTest((...own) => {
  [service, account_id, make] = own;
});

const request = async (): Promise<number> => (await make.export()).id;
const job = (id: number) => make.get(`/v1/exports/${id}`);

/** The unfinished uploads of this test's account. */
const uploads = async () => (await service.uploads()).filter((key) => key.startsWith(account_id));

test('an upload that no job names: the reconciler aborts it after 15 minutes', async () => {
  const key = `${account_id}/${await request()}/1.jsonl`;
  await service.own.s3.send(new CreateMultipartUploadCommand({ Bucket: service.bucket, Key: key }));
  await service.reconcile();
  await service.reconcile(14);
  expect(await uploads()).toEqual([key]);
  await service.reconcile(16);
  expect(await uploads()).toEqual([]);
});

/** Each row is a part. */
const inParts: typeof writeExport = {
  ...writeExport,
  handle: (message, stores) => exportFile(message, stores, 1),
};

/** A running export whose upload is not complete. */
const beginUpload = async () => {
  for (const name of ['Ada', 'Bob']) await make.customer({ name });
  const id = await request();
  await service.work([{ account_id, export_id: id }], { worker: inParts, remaining: 29_000 });
  const [upload] = await uploads();
  expect([(await job(id)).status, upload]).toEqual(['running', expect.stringContaining(`/${id}/`)]);
  return { id, upload };
};

test('an upload that an unfinished job names: kept for days, and aborted after the end of the job', async () => {
  const { id, upload } = await beginUpload();
  await service.reconcile(UPLOAD_DAYS * DAY_MINUTES - 60);
  expect(await uploads()).toEqual([upload]);
  await make.send('POST', `/v1/exports/${id}/cancel`);
  await service.reconcile(60);
  expect(await uploads()).toEqual([]);
});

test('an upload that takes longer than the limit: aborted, and the next attempt writes the file again', async () => {
  const { id } = await beginUpload();
  await service.reconcile(UPLOAD_DAYS * DAY_MINUTES);
  expect(await uploads()).toEqual([]);
  await service.elapse(id, account_id);
  await service.work([{ account_id, export_id: id }], { worker: inParts });
  expect(await job(id)).toMatchObject({ status: 'completed', row_count: 2 });
});

test('an overdue export: counted, and no number is returned when the time is over before the last row', async () => {
  await request();
  const { environment, own } = service;
  const context = { client: own.dynamo, tableNames: tableNames(environment, reconcile) };
  const across = new CrossAccountQueries(context, own.s3, service.bucket, new AbortController().signal);
  const countWith = (remaining: number): Promise<number | undefined> => {
    const run = {
      now: () => new Date(Date.now() + 16 * 60_000).toISOString(),
      remaining: () => remaining,
    };
    const accounts = { across, storesOf: createStores(context) };
    return countOverdue(run as unknown as WorkerContext, accounts as never);
  };
  expect(await countWith(60_000)).toBeGreaterThan(0);
  expect(await countWith(1000)).toBeUndefined();
});
