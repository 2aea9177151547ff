import { describe, expect, test } from '@jest/globals';
import { claimedFields, completedFields, exportJob, writtenFields } from '#shared/invoicing/exports/job.ts';
import {
  type Checkpoint,
  cancelExport,
  type Export,
  isUnfinished,
  requestExport,
} from '#shared/invoicing/exports/rules.ts';
import * as state from '#shared/platform/jobs/state.ts';

const START = Date.parse('2026-11-21T09:00:00.000Z');
const at = (ms: number): string => new Date(START + ms).toISOString();
const MINUTE = 60_000;

const FIELDS = ['id', 'status'];
const { leaseMs } = exportJob;
const isClaimable = (job: Export, at: string) => state.isClaimable(exportJob, job, at);
const claimedWith = (job: Export, fields: readonly string[], at: string) =>
  state.claimed(exportJob, job, claimedFields(job, fields, at), at);
const claimed = (job: Export, at: string) => claimedWith(job, FIELDS, at);
const heartbeat = (job: Export, at: string) => state.heartbeat(exportJob, job, at);
const progressed = (job: Export, checkpoint: Checkpoint, at: string) =>
  state.progressed(exportJob, job, writtenFields(checkpoint), at);
const restarted = (job: Export, at: string) => state.restarted(exportJob, job, writtenFields(undefined), at);
const released = (job: Export, checkpoint: Checkpoint, at: string) =>
  state.released(exportJob, job, writtenFields(checkpoint), at);
const attemptFailed = (job: Export, pauseMs: number, at: string) => state.attemptFailed(exportJob, job, pauseMs, at);
const reminded = (job: Export, at: string) => state.reminded(exportJob, job, at);

const pending = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: 1, at: at(0) });
const running = claimed(pending, at(1000));
const checkpoint: Checkpoint = {
  after: 7,
  row_count: 3,
  digest: new Uint8Array(),
  upload: { id: 'u', key: 'k', etags: ['"1"'], bytes: 10 },
  rest: { key: 'r', bytes: 5 },
};
const file = { row_count: 3, size_bytes: 15, sha256: 'ff' };
const done = state.ended(running, completedFields({ key: '1/1.csv', ...file }, at(2000)), at(2000));

test('a claim: the export runs, and started_at is the time of the first claim [CONTRACT §9]', () => {
  expect(running).toMatchObject({ status: 'running', attempt: 1, version: 2, started_at: at(1000) });
  expect(claimed(running, at(MINUTE * 2))).toMatchObject({ attempt: 2, started_at: at(1000) });
});

test('a checkpoint: renews the lease, and the job shows its rows and bytes [CONTRACT §9]', () => {
  const further = progressed(running, checkpoint, at(30_000));
  expect(further).toMatchObject({ version: 3, row_count: 3, size_bytes: 15, checkpoint });
  expect(isClaimable(further, at(30_000 + leaseMs - 1))).toBe(false);
});

test('a restarted file: another attempt number, and no checkpoint [CONTRACT §9]', () => {
  const further = progressed(running, checkpoint, at(30_000));
  expect(restarted(further, at(40_000))).toMatchObject({
    attempt: 2,
    tries: 0,
    row_count: 0,
    size_bytes: 0,
    checkpoint: undefined,
    lease_until: START + 40_000 + leaseMs,
  });
});

test('a heartbeat: renews a lease after a quarter of it, and only while an attempt holds the job [CONTRACT §9]', () => {
  const early = at(1000 + state.heartbeatMs(exportJob) - 1);
  expect(heartbeat(running, early)).toBe(running);
  const late = at(1000 + state.heartbeatMs(exportJob));
  expect(heartbeat(running, late)).toMatchObject({ lease_until: Date.parse(late) + leaseMs, version: 3 });
  for (const job of [released(running, checkpoint, early), attemptFailed(running, 0, early), done]) {
    expect(heartbeat(job, at(leaseMs))).toBe(job);
  }
});

describe('the columns of a file [CONTRACT §9]', () => {
  const further = progressed(running, checkpoint, at(30_000));

  test('the first claim: the present fields', () => {
    expect(running.columns).toEqual(FIELDS);
  });

  test('a later deployment with one more field: the same columns, and the file is continued', () => {
    const next = claimedWith(further, ['id', 'more', 'status'], at(MINUTE * 5));
    expect(next).toMatchObject({ columns: FIELDS, checkpoint, row_count: 3 });
  });

  test('a later deployment without one of the fields: the file is restarted with the present fields', () => {
    const next = claimedWith(further, ['id', 'more'], at(MINUTE * 5));
    expect(next).toMatchObject({ columns: ['id', 'more'], checkpoint: undefined, row_count: 0, attempt: 2 });
  });
});

test('five failed attempts: the job fails with a reason [CONTRACT §9]', () => {
  let job = pending;
  for (let attempt = 1; attempt <= 5; attempt++) {
    job = claimed(job, at(attempt * MINUTE));
    expect([attempt, job.status, job.tries]).toEqual([attempt, 'running', attempt]);
    job = attemptFailed(job, 1000, at(attempt * MINUTE + 1));
    expect([attempt, isClaimable(job, at(attempt * MINUTE + 1))]).toEqual([attempt, attempt < 5]);
  }
  expect(job).toMatchObject({ status: 'failed', error: { code: 'attempts-exhausted' }, due_at: undefined });
});

test.each<[string, Export, string, RegExp]>([
  ['that no worker ever claimed', pending, 'never-started', /No worker started/],
  ['that was released and not claimed again', released(running, checkpoint, at(0)), 'never-resumed', /resumed/],
  ['whose fifth attempt was lost', { ...running, tries: 5 }, 'attempts-exhausted', /attempted 5 times/],
])('an export %s: fails with an error that names the cause [CONTRACT §9]', (_, job, code, detail) => {
  const failed = reminded({ ...job, reminders: job.tries === 5 ? 0 : 5 }, at(10 * MINUTE));
  expect(failed).toMatchObject({ status: 'failed', error: { code, detail: expect.stringMatching(detail) } });
});

describe('a job that has ended', () => {
  const canceled = cancelExport(running, at(3000));
  const failed = attemptFailed({ ...running, tries: 5 }, 0, at(3000));
  test.each([
    ['completed', done],
    ['canceled', canceled],
    ['failed', failed],
  ])('%s: not claimable, never due, and without a checkpoint', (status, job) => {
    expect([job.status, isUnfinished(job), isClaimable(job, at(10 * MINUTE))]).toEqual([status, false, false]);
    expect([job.due_at, job.checkpoint, job.lease_until]).toEqual([undefined, undefined, 0]);
    expect(reminded(job, at(10 * MINUTE))).toBe(job);
  });
});

test('a completed export: its file, for 7 days [CONTRACT §9]', () => {
  expect(done).toMatchObject({ ...file, status: 'completed', file_key: '1/1.csv', completed_at: at(2000) });
  expect(done.expires_at).toBe(at(2000 + 7 * 86_400_000));
});
