import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompleteMultipartUploadCommand, CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import canonicalize from 'canonicalize';
import { workers as declarations } from '#functions/workers.ts';
import { AccountRows } from '#infra/operations/account/account-rows.ts';
import { eraseAccount, SETTLE_MS } from '#infra/operations/account/erase.ts';
import { exportAccount } from '#infra/operations/account/export.ts';
import { countParts, partsOf, type Report } from '#infra/operations/account/parts.ts';
import { audit } from '#infra/operations/audit/audit.ts';
import type { Deployment } from '#infra/operations/deployment.ts';
import { LEASE_MS } from '#shared/invoicing/exports/job.ts';
import { resources } from '#shared/invoicing/index.ts';
import { fileKey } from '#shared/platform/files/file-key.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import type { ResourceName } from '#shared/vocabulary.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { type Crashes, injectCrashes } from '#test/support/faults/crash.ts';
import { stopClock } from '#test/support/service/clock.ts';
import { deploymentOf } from '#test/support/service/deployment.ts';
import { makers } from '#test/support/service/makers.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { publish, recordOf, startWorkers, type Workers } from '#test/support/service/workers.ts';
import { scan } from '#test/support/state/invariants.ts';
import { fillAccount, indexEntriesOf, restoreState, type State, stateOf, TABLES } from './full-account.ts';

/** An id may be the name of a member of each object, and begin with the id of another account. */
const [ERASED, OTHER] = ['__proto__', '__proto__1'];
const AT_ONCE = { settle: async () => {} };
const make = () => makers(workers.service, { account: ERASED });

enableTelemetryOfFile();
let workers: Workers;
let deployment: Deployment;
let crashes: Crashes;
let messages: readonly object[];
let before: State;
let other: State;
let filledAt: number;

beforeAll(async () => {
  workers = await startWorkers();
  deployment = deploymentOf(workers);
  messages = await fillAccount(workers, ERASED);
  filledAt = Date.now();
  await fillAccount(workers, OTHER);
  before = await stateOf(workers, ERASED);
  other = await stateOf(workers, OTHER);
  crashes = injectCrashes([deployment.dynamo, deployment.s3]);
});
afterAll(async () => {
  deployment.close();
  await workers.stop();
});
beforeEach(async () => {
  crashes.plan();
  await restore();
});

/** Uploads have no keys of their own, so they are created only after an erasure. */
const restore = async (): Promise<void> => {
  const { uploads } = await stateOf(workers, ERASED);
  await restoreState(workers, ERASED, { ...before, uploads: uploads.length > 0 ? [] : before.uploads });
};
const count = () => countParts(partsOf(deployment, ERASED));

const expectErased = async (): Promise<void> => {
  const { rows, files, uploads } = await stateOf(workers, ERASED);
  expect([...rows].filter(([, found]) => found.length > 0)).toEqual([]);
  expect([[...files.keys()], uploads]).toEqual([[], []]);
  expect(await indexEntriesOf(workers, ERASED)).toEqual([]);
};

/**
 * Handles every message of the account, and runs the workers of streams and schedules, when nothing of the other account
 * is due. @returns the failures
 */
const handleMessages = async (): Promise<readonly unknown[]> => {
  stopClock(filledAt);
  try {
    return await runWorkers();
  } finally {
    jest.useRealTimers();
  }
};

const runWorkers = async (): Promise<readonly unknown[]> => {
  const run = async (worker: string, kind: string) => {
    const Records = messages.filter((body) => kind in body).map((body) => recordOf(body));
    return (await workers.run<SQSBatchResponse>(worker, { Records })).batchItemFailures;
  };
  const failures = [await run('workers/export', 'export_id'), await run('workers/deliver', 'webhook_endpoint_id')];
  await publish(workers, ERASED);
  await workers.run('workers/reconcile', {});
  await workers.run('workers/wake-webhook-endpoints', {});
  return failures.flat();
};

test('each row of each table: is found for its account, and for no other', async () => {
  const found = [ERASED, OTHER].map((account) => new AccountRows(deployment, account));
  const texts = (rows: readonly object[]) => rows.map((row) => canonicalize(row)).sort();
  for (const table of TABLES) {
    const rows: object[] = [];
    for (const account of found) for await (const page of account.read(table)) rows.push(...page);
    expect([table, rows.length > 1]).toEqual([table, true]);
    expect(texts(rows)).toEqual(texts(await scan(workers.service, table)));
  }
});

test('a count: names every part of the account, and changes nothing', async () => {
  const counts = await count();
  expect(Object.entries(counts).filter(([, rows]) => rows === 0)).toEqual([]);
  expect(counts).toMatchObject({ customers: before.rows.get('customers')?.length, files: 1, 'unfinished uploads': 1 });
  expect(await stateOf(workers, ERASED)).toEqual(before);
});

test('an export: has each member as the API returns it under v2, each stored row and each file, and no secret', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'account-'));
  try {
    const { files, ...manifest } = await exportAccount(deployment, ERASED, folder);
    expect(manifest).toMatchObject({ account: ERASED, unfinished_uploads: 1 });
    const text = (path: string) => readFile(join(folder, path), 'utf8');
    const lines = async (path: string) =>
      (await text(path))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    for (const { table, collection } of Object.values(resources)) {
      const exported = await lines(`${collection}.jsonl`);
      // A list of events also publishes the change that waits in the outbox.
      const members = (await make().list(`/v2/${collection}?limit=100`)).slice(0, exported.length);
      expect([table, exported]).toEqual([table, members]);
    }
    for (const table of TABLES) {
      const path = table in resources ? resources[table as ResourceName].collection : `stored/${table}`;
      expect([table, (await lines(`${path}.jsonl`)).length]).toEqual([table, before.rows.get(table)?.length]);
    }
    for (const [key, content] of before.files)
      expect((await readFile(join(folder, key.replace(ERASED, 'files')))).toString('base64')).toBe(content);
    const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(names.length).toBe(files.length + 1);
    for (const { path, sha256, bytes, rows } of files) {
      const content = await readFile(join(folder, path));
      expect([path, createHash('sha256').update(content).digest('hex'), content.length]).toEqual([path, sha256, bytes]);
      if (rows !== undefined) expect([path, (await lines(path)).length]).toEqual([path, rows]);
      expect([path, content.includes('whsec_'), (await stat(join(folder, path))).mode & 0o777]).toEqual([
        path,
        false,
        0o600,
      ]);
    }
    await expect(exportAccount(deployment, ERASED, folder)).rejects.toThrow('is not empty');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an erasure: no row, index entry, file or upload of the account is left, and the other account is unchanged', async () => {
  const counts = await count();
  const erased: [name: string, count: number][] = [];
  const report: Report = (...part) => erased.push(part);
  const left = await eraseAccount(deployment, ERASED, { ...AT_ONCE, report });
  expect(erased).toEqual(Object.entries(counts));
  expect(new Set(Object.values(left))).toEqual(new Set([0]));
  await expectErased();
  expect(await Array.fromAsync(audit(deployment))).toEqual([]);
  expect(await stateOf(workers, OTHER)).toEqual(other);
});

test('messages and schedules after an erasure: the workers write nothing, and log no warning and no error', async () => {
  await eraseAccount(deployment, ERASED, AT_ONCE);
  const kinds = ['export_id', 'webhook_endpoint_id'];
  expect(kinds.filter((kind) => messages.some((body) => kind in body))).toEqual(kinds);
  const { result, lines } = await captureOutput(handleMessages);
  expect(result).toEqual([]);
  expect(lines.map(({ message }) => message)).toContain('the job of a message does not exist');
  expect(lines.filter(({ level }) => level !== 'INFO')).toEqual([]);
  await expectErased();
});

test('a request during an erasure: the last count finds the rows of the request', async () => {
  let isWritten = false;
  deployment.s3.middlewareStack.add(
    (next) => async (call) => {
      if (!isWritten) await make().customer();
      isWritten = true;
      return next(call);
    },
    { step: 'initialize', name: 'request', override: true },
  );
  const left = await eraseAccount(deployment, ERASED, AT_ONCE);
  deployment.s3.middlewareStack.remove('request');
  expect(left).toMatchObject({ customers: 1, outbox: 1, idempotency: 1, invoices: 0 });
});

test('an upload that S3 completes after the erasure: the last count finds its file, and a second erasure deletes it', async () => {
  const upload = { Bucket: workers.queue.bucket, Key: fileKey(ERASED, '2/1.csv') };
  const { s3 } = workers.queue;
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(upload));
  const { ETag } = await s3.send(
    new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: Buffer.from('row') }),
  );
  // S3 no longer aborts an upload that it is completing.
  deployment.s3.middlewareStack.add(
    (next, { commandName }) =>
      async (call) =>
        commandName === 'AbortMultipartUploadCommand' ? { response: {}, output: { $metadata: {} } } : next(call),
    { step: 'initialize', name: 'completing' },
  );
  const settle = () => {
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    return s3.send(new CompleteMultipartUploadCommand({ ...upload, UploadId, MultipartUpload }));
  };
  const left = await eraseAccount(deployment, ERASED, { settle });
  deployment.s3.middlewareStack.remove('completing');
  expect(left).toMatchObject({ files: 1, exports: 0 });
  expect(new Set(Object.values(await eraseAccount(deployment, ERASED, AT_ONCE)))).toEqual(new Set([0]));
  await expectErased();
});

const DELETES = /^(BatchWrite|Delete|Abort)/;

/** The numbers of the calls that delete something, of a whole erasure. */
const deletingCalls = async (): Promise<readonly number[]> => {
  await eraseAccount(deployment, ERASED, AT_ONCE);
  const numbers = crashes.calls.flatMap((command, i) => (DELETES.test(command) ? [i + 1] : []));
  expect(numbers.length).toBeGreaterThan(TABLES.length);
  return numbers;
};

test('workers that run after any delete: they fail for no message, and nothing is left', async () => {
  const numbers = await deletingCalls();
  for (const number of partOf(numbers, 18)) {
    await restore();
    crashes.plan();
    let failures: readonly unknown[] | undefined;
    deployment.dynamo.middlewareStack.add(
      (next) => async (call) => {
        if (crashes.calls.length >= number) failures ??= await handleMessages();
        return next(call);
      },
      { step: 'initialize', name: 'workers', override: true },
    );
    const left = await eraseAccount(deployment, ERASED, AT_ONCE);
    deployment.dynamo.middlewareStack.remove('workers');
    const written = Object.entries(left).filter(([, count]) => count > 0);
    expect([number, failures, written]).toEqual([number, [], []]);
  }
});

test('a crash before or after any delete: a second erasure completes the erasure', async () => {
  const numbers = await deletingCalls();
  const cases = numbers.flatMap((number) => [{ number, when: 'before' } as const, { number, when: 'after' } as const]);
  for (const crash of partOf(cases, 45)) {
    await restore();
    crashes.plan(crash);
    await expect(eraseAccount(deployment, ERASED, AT_ONCE)).rejects.toThrow();
    crashes.plan();
    const left = await eraseAccount(deployment, ERASED, AT_ONCE);
    expect([crash, Object.values(left).filter((count) => count > 0)]).toEqual([crash, []]);
    await expectErased();
  }
  expect(await stateOf(workers, OTHER)).toEqual(other);
});

test('the pause before the last count: longer than a request, a lease, and twice the longest worker, whose upload S3 may still complete', () => {
  const longest = 1000 * Math.max(...Object.values(declarations).map(({ seconds }) => seconds));
  expect(longest).toBeGreaterThan(Math.max(LEASE_MS, 1000 * LAMBDA_DEFAULTS.seconds));
  expect(SETTLE_MS).toBeGreaterThanOrEqual(2 * longest);
});
