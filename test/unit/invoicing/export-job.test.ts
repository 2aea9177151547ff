import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type CompletedFile,
  claimedFields,
  completedFields,
  exportJob,
  writtenFields,
} from '#shared/invoicing/exports/job.ts';
import { CLOCK_MS, rowsOf, SETTLE_MS, startDelay } from '#shared/invoicing/exports/range.ts';
import {
  type Checkpoint,
  cancelExport,
  type Export,
  fileKeyOf,
  isUnfinished,
  requestExport,
} from '#shared/invoicing/exports/rules.ts';
import { createId } from '#shared/platform/id.ts';
import * as state from '#shared/platform/jobs/state.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import { problemOf } from './problem.ts';

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
  state.released(exportJob, job, writtenFields(checkpoint), 0, at);
const attemptFailed = (job: Export, retryDelayMs: number, at: string) =>
  state.attemptFailed(exportJob, job, retryDelayMs, at);
const reminded = (job: Export, at: string) => state.reminded(exportJob, job, at);
const completed = (job: Export, file: CompletedFile, at: string) => state.ended(job, completedFields(file, at), at);

const pending = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: 1, at: at(0) });
const running = claimed(pending, at(1000));
const checkpoint: Checkpoint = {
  after: 7,
  row_count: 3,
  digest: new Uint8Array(),
  upload: { id: 'u', key: 'k', etags: ['"1"'], bytes: 10 },
  rest: { key: 'r', bytes: 5 },
};
const file = { key: '1/1.csv', row_count: 3, size_bytes: 15, sha256: 'ff' };
const done = completed(running, file, at(2000));

test('a claim: takes a lease, and nobody else can claim the job until it ends [CONTRACT §9]', () => {
  expect(running).toMatchObject({ status: 'running', attempt: 1, tries: 1, version: 2, started_at: at(1000) });
  expect([
    isClaimable(pending, at(0)),
    isClaimable(running, at(1000)),
    isClaimable(running, at(1000 + leaseMs - 1)),
  ]).toEqual([true, false, false]);
  expect(isClaimable(running, at(1000 + leaseMs))).toBe(true);
  const second = claimed(running, at(MINUTE * 2));
  expect(second).toMatchObject({ attempt: 2, tries: 2, started_at: at(1000) });
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
    tries: 1,
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

test('a released job: claimable at once, and no failed attempt is counted [CONTRACT §9]', () => {
  const free = released(running, checkpoint, at(5000));
  expect(free).toMatchObject({ status: 'running', tries: 0, attempt: 1, checkpoint });
  expect(isClaimable(free, at(5000))).toBe(true);
  expect(reminded(free, at(5000))).toBe(free);
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

test('five lost attempts: the job fails at the next claim or review [CONTRACT §9]', () => {
  let job = pending;
  for (let attempt = 1; attempt <= 5; attempt++) job = claimed(job, at(attempt * 2 * MINUTE));
  expect(claimed(job, at(20 * MINUTE)).status).toBe('failed');
  expect(reminded(job, at(20 * MINUTE)).status).toBe('failed');
});

test('a job that no worker claims: five reminders at growing intervals, then failed [CONTRACT §9]', () => {
  let job: Export = pending;
  const waits: number[] = [];
  for (let now = at(0); job.status === 'pending'; ) {
    expect(reminded(job, new Date((job.due_at as number) - 1).toISOString())).toBe(job);
    waits.push((job.due_at as number) - Date.parse(now));
    now = new Date(job.due_at as number).toISOString();
    job = reminded(job, now);
  }
  // After the first message, and after each of the five reminders.
  expect(waits.map((wait) => wait / MINUTE)).toEqual([1, 1, 4, 16, 64, 256]);
  expect(job).toMatchObject({ status: 'failed', reminders: 5 });
});

test.each<[string, Export, string, RegExp]>([
  ['that no worker ever claimed', pending, 'never-started', /No worker started/],
  ['that was released and not claimed again', released(running, checkpoint, at(0)), 'never-resumed', /resumed/],
  ['whose fifth attempt was lost', { ...running, tries: 5 }, 'attempts-exhausted', /attempted 5 times/],
])('an export %s: fails with an error that names the cause [CONTRACT §9]', (_, job, code, detail) => {
  const failed = reminded({ ...job, reminders: job.tries === 5 ? 0 : 5 }, at(10 * MINUTE));
  expect(failed).toMatchObject({ status: 'failed', error: { code, detail: expect.stringMatching(detail) } });
});

test('a claim after reminders: their number is 0 again', () => {
  expect(claimed(reminded(pending, at(MINUTE)), at(2 * MINUTE)).reminders).toBe(0);
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

test('a file: available for 7 days, then export-expired; before completion export-not-ready [CONTRACT §9]', () => {
  expect(done).toMatchObject({
    status: 'completed',
    row_count: 3,
    size_bytes: 15,
    sha256: 'ff',
    completed_at: at(2000),
  });
  const end = Date.parse(done.expires_at as string);
  expect(end - START - 2000).toBe(7 * 86_400_000);
  expect(fileKeyOf(done, new Date(end - 1).toISOString())).toBe('1/1.csv');
  expect(problemOf(() => fileKeyOf(done, new Date(end).toISOString())).code).toBe('export-expired');
  for (const job of [pending, running, cancelExport(pending, at(1))]) {
    expect(problemOf(() => fileKeyOf(job, at(1))).code).toBe('export-not-ready');
  }
});

test('cancel of a canceled export: no change; of a completed or failed one: export-not-cancelable [CONTRACT §12]', () => {
  const canceled = cancelExport(pending, at(1));
  expect(cancelExport(canceled, at(2))).toBe(canceled);
  for (const job of [done, attemptFailed({ ...running, tries: 5 }, 0, at(3))]) {
    expect(problemOf(() => cancelExport(job, at(4))).code).toBe('export-not-cancelable');
  }
});

describe('the rows of a file [CONTRACT §9]', () => {
  const time = fc.integer({ min: 0, max: 400 });
  const times = fc.tuple(time, time);
  const offset = fc.constantFrom(0, 5000);
  const ids = fc.tuple(time, offset, fc.integer({ min: 0, max: 4095 }));
  const bound = fc.option(fc.tuple(fc.integer({ min: -10, max: 410 }), offset), { nil: undefined });
  const sum = (terms: readonly number[] | undefined) => terms?.reduce((total, term) => total + term);

  test('any times: the rows created within the filter, until 5 s after the later of the job’s creation and start', () => {
    fc.assert(
      fc.property(ids, times, bound, bound, ([time, later, random], [requested, started], ...bounds) => {
        const created = time + later;
        const [from, before] = bounds.map(sum);
        const filter = {
          ...(from !== undefined && { created_from: at(from) }),
          ...(before !== undefined && { created_before: at(before) }),
        };
        const range = rowsOf({ ...pending, filter, created_at: at(requested), started_at: at(started) });
        const row = createId(at(created), random);
        const isIn =
          created < Math.max(requested, started) + 5000 &&
          (from === undefined || created >= from) &&
          (before === undefined || created < before);
        expect(row >= range.from && row < range.before).toBe(isIn);
      }),
      { numRuns: 1000 },
    );
  });

  test('times beyond all ids: no error, and the other conditions stay a filter', () => {
    const filter = {
      created_from: '1970-01-01T00:00:00.000Z',
      created_before: '9999-12-31T23:59:59.999Z',
      status: 'open',
    };
    const range = rowsOf({ ...running, filter });
    expect(range).toEqual({ from: 0, before: createId(at(6000), 0), filter: { status: 'open' } });
  });
});

describe('the start of a job with created_before [CONTRACT §9]', () => {
  const ending = (before: number): Export =>
    requestExport({ type: 'invoices', format: 'csv', filter: { created_before: at(before) } }, { id: 1, at: at(0) });

  test('the longest delay: longer than any request may take to commit', () => {
    expect(SETTLE_MS).toBeGreaterThan(LAMBDA_DEFAULTS.seconds * 1000);
  });

  test.each([
    ['now', 0, 20_000],
    ['a millisecond ago', -1, 19_999],
    ['almost 20 s ago', -19_999, 1],
    ['20 s ago', -20_000, 0],
    ['long ago', -MINUTE, 0],
    ['in the future of this clock, perhaps not of the client’s', 1, 20_001],
    ['almost 5 s in the future', 4999, 24_999],
    ['where the range of a start now ends', 5000, 0],
    ['in the future', MINUTE, 0],
  ])('created_before %s (%i ms): starts after %i ms', (_, before, delay) => {
    const job = ending(before);
    expect(startDelay(job, at(0))).toBe(delay);
    expect(isClaimable(job, at(0))).toBe(delay === 0);
    expect(isClaimable(job, at(delay))).toBe(true);
    expect(job.due_at).toBe(START + delay + MINUTE);
  });

  test('any start: the file ends at created_before only when no earlier row can be committed any more', () => {
    const start = fc.integer({ min: 0, max: 60_000 });
    fc.assert(
      fc.property(fc.integer({ min: -30_000, max: 60_000 }), start, (before, start) => {
        const job = ending(before);
        fc.pre(isClaimable(job, at(start)));
        const endsAtFilter = rowsOf(claimed(job, at(start))).before === createId(at(before), 0);
        expect(endsAtFilter).toBe(start >= before + SETTLE_MS || start + CLOCK_MS === before);
      }),
      { numRuns: 1000 },
    );
  });

  test('a job that has started before: no delay', () => {
    const job = attemptFailed(claimed(ending(6000), at(50)), 0, at(60));
    expect(isClaimable(job, at(7000))).toBe(true);
  });

  test('no created_before: no delay', () => {
    expect(startDelay(pending, at(0))).toBe(0);
  });
});
