import { expect, test } from '@jest/globals';
import { cancelExport, type Export, fileKeyOf, isUnfinished, requestExport } from '#shared/invoicing/exports/rules.ts';
import { problemOf } from '../problem.ts';

const AT = '2026-11-21T09:00:00.000Z';
const LATER = '2026-11-21T09:30:00.000Z';
const PENDING = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: 1, at: AT });
const RUNNING: Export = { ...PENDING, status: 'running', lease_until: Date.parse(LATER) };
const COMPLETED: Export = { ...PENDING, status: 'completed', file_key: '1/1.csv', expires_at: LATER };
const FAILED: Export = { ...PENDING, status: 'failed' };
const CANCELED = cancelExport(RUNNING, LATER);

test('a new export: pending, without rows and times, and due after a minute [CONTRACT §9]', () => {
  expect(PENDING).toEqual({
    ...{ id: 1, version: 1, created_at: AT, updated_at: AT, type: 'invoices', format: 'csv', filter: {} },
    ...{ status: 'pending', row_count: 0, size_bytes: 0, sha256: null, error: null },
    ...{ started_at: null, completed_at: null, expires_at: null },
    ...{ attempt: 0, tries: 0, reminders: 0, lease_until: 0, due_at: Date.parse(AT) + 60_000 },
  });
});

test('cancel of an unfinished export: it has ended, without a checkpoint [CONTRACT §12]', () => {
  const ended = { status: 'canceled', lease_until: 0, due_at: undefined, checkpoint: undefined };
  expect(CANCELED).toEqual({ ...RUNNING, ...ended, version: 2, updated_at: LATER });
  expect(cancelExport(PENDING, LATER).status).toBe('canceled');
});

test('cancel of a canceled export: no change; of a completed or failed export: export-not-cancelable [CONTRACT §12]', () => {
  expect(cancelExport(CANCELED, LATER)).toBe(CANCELED);
  for (const job of [COMPLETED, FAILED]) {
    expect(problemOf(() => cancelExport(job, LATER)).code).toBe('export-not-cancelable');
  }
});

test('the unfinished exports: exports that are pending or running [CONTRACT §10]', () => {
  expect([PENDING, RUNNING, COMPLETED, FAILED, CANCELED].map(isUnfinished)).toEqual([true, true, false, false, false]);
});

test('the file of an export: export-not-ready before completion, and export-expired from expires_at on [CONTRACT §9]', () => {
  for (const job of [PENDING, RUNNING, FAILED, CANCELED]) {
    expect(problemOf(() => fileKeyOf(job, AT)).code).toBe('export-not-ready');
  }
  expect(fileKeyOf(COMPLETED, '2026-11-21T09:29:59.999Z')).toBe('1/1.csv');
  expect(problemOf(() => fileKeyOf(COMPLETED, LATER)).code).toBe('export-expired');
});
