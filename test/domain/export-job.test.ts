import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cancelExport, type Export, fileOf, isUnfinished, requestExport } from '#shared/domain/export.ts';
import {
  type Checkpoint,
  claimed,
  completed,
  handedOver,
  isFree,
  LEASE_MS,
  progressed,
  reviewed,
  rowsOf,
  stumbled,
} from '#shared/domain/export-job.ts';
import { id } from '#shared/domain/id.ts';
import { refusalOf } from './refusal.ts';

const START = Date.parse('2026-11-21T09:00:00.000Z');
const at = (ms: number): string => new Date(START + ms).toISOString();
const MINUTE = 60_000;

const pending = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: 1, at: at(0) });
const running = claimed(pending, at(1000));
const checkpoint: Checkpoint = {
  after: 7,
  row_count: 3,
  digest: new Uint8Array(),
  upload: { id: 'u', key: 'k', parts: [], bytes: 10 },
  rest: { key: 'r', bytes: 5 },
};
const file = { key: '1/1.csv', row_count: 3, size_bytes: 15, sha256: 'ff' };
const done = completed(running, file, at(2000));

test('CONTRACT §9: a claim takes a lease; until it ends nobody else is at the job', () => {
  expect(running).toMatchObject({ status: 'running', attempt: 1, tries: 1, version: 2, started_at: at(1000) });
  expect([isFree(pending, at(0)), isFree(running, at(1000)), isFree(running, at(1000 + LEASE_MS - 1))]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isFree(running, at(1000 + LEASE_MS))).toBe(true);
  const second = claimed(running, at(MINUTE * 2));
  expect(second).toMatchObject({ attempt: 2, tries: 2, started_at: at(1000) });
});

test('CONTRACT §9: a sign of life renews the lease and shows how far the file is', () => {
  const further = progressed(running, checkpoint, at(30_000));
  expect(further).toMatchObject({ version: 3, row_count: 3, size_bytes: 15, checkpoint });
  expect(isFree(further, at(30_000 + LEASE_MS - 1))).toBe(false);
  expect(progressed(further, undefined, at(40_000))).toMatchObject({
    row_count: 0,
    size_bytes: 0,
    checkpoint: undefined,
  });
});

test('CONTRACT §9: a hand-over frees the job, and does not count as a failure', () => {
  const handed = handedOver(running, checkpoint, at(5000));
  expect(handed).toMatchObject({ status: 'running', tries: 0, attempt: 1, checkpoint });
  expect(isFree(handed, at(5000))).toBe(true);
  expect(reviewed(handed, at(5000))).toBe(handed);
});

test('CONTRACT §9: five attempts that fail fail the job, with a reason', () => {
  let job = pending;
  for (let attempt = 1; attempt <= 5; attempt++) {
    job = claimed(job, at(attempt * MINUTE));
    expect([attempt, job.status, job.tries]).toEqual([attempt, 'running', attempt]);
    job = stumbled(job, 1000, at(attempt * MINUTE + 1));
    expect([attempt, isFree(job, at(attempt * MINUTE + 1))]).toEqual([attempt, attempt < 5]);
  }
  expect(job).toMatchObject({ status: 'failed', error: { code: 'attempts-exhausted' }, due_at: undefined });
});

test('CONTRACT §9: five attempts that nothing is heard of fail the job, too, at the next claim or review', () => {
  let job = pending;
  for (let attempt = 1; attempt <= 5; attempt++) job = claimed(job, at(attempt * 2 * MINUTE));
  expect(claimed(job, at(20 * MINUTE)).status).toBe('failed');
  expect(reviewed(job, at(20 * MINUTE)).status).toBe('failed');
});

test('CONTRACT §9: the reconciler reminds of a job ever more rarely, and fails it after the fifth time', () => {
  let job: Export = pending;
  const waits: number[] = [];
  for (let now = at(0); job.status === 'pending'; ) {
    expect(reviewed(job, new Date((job.due_at as number) - 1).toISOString())).toBe(job);
    waits.push((job.due_at as number) - Date.parse(now));
    now = new Date(job.due_at as number).toISOString();
    job = reviewed(job, now);
  }
  expect(waits.map((wait) => wait / MINUTE)).toEqual([1, 4, 16, 64, 256, 1024]);
  expect(job).toMatchObject({ status: 'failed', reminders: 5 });
});

test('CONTRACT §9: a claim forgets the reminders before it', () => {
  expect(claimed(reviewed(pending, at(MINUTE)), at(2 * MINUTE)).reminders).toBe(0);
});

describe('a job that has ended', () => {
  const canceled = cancelExport(running, at(3000));
  const failed = stumbled({ ...running, tries: 5 }, 0, at(3000));
  test.each([
    ['completed', done],
    ['canceled', canceled],
    ['failed', failed],
  ])('%s: is free for nobody, due never, and keeps no checkpoint', (status, job) => {
    expect([job.status, isUnfinished(job), isFree(job, at(10 * MINUTE))]).toEqual([status, false, false]);
    expect([job.due_at, job.checkpoint, job.lease_until]).toEqual([undefined, undefined, 0]);
    expect(reviewed(job, at(10 * MINUTE))).toBe(job);
  });
});

test('CONTRACT §9: files live seven days', () => {
  expect(done).toMatchObject({
    status: 'completed',
    row_count: 3,
    size_bytes: 15,
    sha256: 'ff',
    completed_at: at(2000),
  });
  const end = Date.parse(done.expires_at as string);
  expect(end - START - 2000).toBe(7 * 86_400_000);
  expect(fileOf(done, new Date(end - 1).toISOString())).toBe('1/1.csv');
  expect(refusalOf(() => fileOf(done, new Date(end).toISOString())).code).toBe('export-expired');
  for (const job of [pending, running, cancelExport(pending, at(1))]) {
    expect(refusalOf(() => fileOf(job, at(1))).code).toBe('export-not-ready');
  }
});

test('CONTRACT §12: cancel ends what is not done, leaves what is canceled, refuses the rest', () => {
  const canceled = cancelExport(pending, at(1));
  expect(cancelExport(canceled, at(2))).toBe(canceled);
  for (const job of [done, stumbled({ ...running, tries: 5 }, 0, at(3))]) {
    expect(refusalOf(() => cancelExport(job, at(4))).code).toBe('export-not-cancelable');
  }
});

describe('CONTRACT §9: which rows are in the file', () => {
  const ids = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 4095 }));
  const bound = fc.option(fc.integer({ min: -10, max: 410 }), { nil: undefined });

  test('those that were created in the times of the filter, and before or at the start of the job', () => {
    fc.assert(
      fc.property(ids, fc.integer({ min: 0, max: 400 }), bound, bound, ([created, random], started, from, before) => {
        const filter = {
          ...(from !== undefined && { created_from: at(from) }),
          ...(before !== undefined && { created_before: at(before) }),
        };
        const range = rowsOf({ ...pending, filter, started_at: at(started) });
        const row = id(at(created), random);
        const isIn =
          created <= started && (from === undefined || created >= from) && (before === undefined || created < before);
        expect(row >= range.from && row < range.before).toBe(isIn);
      }),
      { numRuns: 1000 },
    );
  });

  test('times beyond all ids are no error, and values are a filter of their own', () => {
    const filter = {
      created_from: '1970-01-01T00:00:00.000Z',
      created_before: '9999-12-31T23:59:59.999Z',
      status: 'open',
    };
    const range = rowsOf({ ...running, filter });
    expect(range).toEqual({ from: 0, before: id(at(1000), 4095) + 1, filter: { status: 'open' } });
  });
});
