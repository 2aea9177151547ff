import { describe, expect, test } from '@jest/globals';
import {
  claim,
  complete,
  fail,
  failAttempt,
  HEARTBEAT_MS,
  isLeased,
  LEASE_MS,
  release,
  remind,
  renew,
  saveCheckpoint,
} from '#shared/invoicing/exports/job.ts';
import { cancelExport, type Export, requestExport } from '#shared/invoicing/exports/rules.ts';

const START = Date.parse('2026-11-21T09:00:00.000Z');
const at = (ms: number): string => new Date(START + ms).toISOString();
const MINUTE = 60_000;

const FIELDS = ['id', 'status'];
const pending = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: 1, at: at(0) });
const running = claim(pending, FIELDS, at(1000));
const checkpoint = {
  after: 7,
  row_count: 3,
  digest: new Uint8Array(),
  upload: { id: 'u', key: 'k', etags: ['"1"'], bytes: 10 },
  rest: { key: 'r', bytes: 5 },
};
const written = saveCheckpoint(running, checkpoint, at(30_000));
const completed = complete(running, { key: '1/1.csv', row_count: 3, size_bytes: 15, sha256: 'ff' }, at(2000));

test('a checkpoint: renews the lease, and the job shows its rows and bytes [CONTRACT §9]', () => {
  expect(written).toMatchObject({ version: 3, row_count: 3, size_bytes: 15, checkpoint });
  expect([LEASE_MS - 1, LEASE_MS].map((ms) => isLeased(written, at(30_000 + ms)))).toEqual([true, false]);
});

test('a heartbeat: renews a lease after a quarter of it, and only while an attempt holds the job [CONTRACT §9]', () => {
  const early = at(1000 + HEARTBEAT_MS - 1);
  expect(renew(running, early)).toBe(running);
  const late = at(1000 + HEARTBEAT_MS);
  expect(renew(running, late)).toMatchObject({ lease_until: Date.parse(late) + LEASE_MS, version: 3 });
  for (const job of [release(running, checkpoint, early), failAttempt(running, 0, early), completed]) {
    expect(renew(job, at(LEASE_MS))).toBe(job);
  }
});

test.each([
  ['one more field: the same columns, and the file is continued', ['id', 'more', 'status'], FIELDS, 3],
  ['without a field: the file is restarted with its fields', ['id', 'more'], ['id', 'more'], 0],
])('a claim by a later deployment with %s [CONTRACT §9]', (_, fields, columns, row_count) => {
  expect(running).toMatchObject({ columns: FIELDS, started_at: at(1000) });
  const next = claim(written, fields, at(MINUTE * 5));
  expect(next).toMatchObject({ columns, row_count, started_at: at(1000), attempt: 2 });
  expect(next.checkpoint).toEqual(row_count ? checkpoint : undefined);
});

test.each<[string, Export, string, RegExp]>([
  ['that no worker ever claimed', { ...pending, reminders: 5 }, 'never-started', /No worker started/],
  [
    'that was released and not claimed again',
    { ...release(running, checkpoint, at(0)), reminders: 5 },
    'never-resumed',
    /resumed/,
  ],
  ['whose fifth attempt was lost', { ...running, tries: 5 }, 'attempts-exhausted', /attempted 5 times/],
])('an export %s: fails with an error that names the cause [CONTRACT §9]', (_, job, code, detail) => {
  const failed = remind(job, at(10 * MINUTE));
  expect(failed).toMatchObject({ status: 'failed', error: { code, detail: expect.stringMatching(detail) } });
});

describe('a job that has ended', () => {
  test.each([
    ['completed', completed],
    ['canceled', cancelExport(written, at(3000))],
    ['failed', fail(written, 'never-resumed', at(3000))],
  ])('%s: not leased, never due, and without a checkpoint', (status, job) => {
    expect(job).toMatchObject({ status, lease_until: 0, due_at: undefined, checkpoint: undefined });
    expect(remind(job, at(10 * MINUTE))).toBe(job);
  });
});
