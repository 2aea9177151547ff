import { describe, expect, test } from '@jest/globals';
import { CLOCK_MS, rowsOf, SETTLE_MS, startDelay } from '#shared/invoicing/exports/range.ts';
import { type Export, requestExport } from '#shared/invoicing/exports/rules.ts';
import { createId } from '#shared/platform/id.ts';
import { LAMBDA_DEFAULTS } from '#shared/runtime/defaults.ts';
import fc from '#test/support/random/fast-check.ts';

const START = Date.parse('2026-11-21T09:00:00.000Z');
const at = (ms: number): string => new Date(START + ms).toISOString();
const MINUTE = 60_000;

const pending = requestExport({ type: 'invoices', format: 'csv', filter: {} }, { id: 1, at: at(0) });
const started = (job: Export, at: string): Export => ({ ...job, status: 'running', started_at: at });

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

  test('times beyond all ids: become the smallest and largest bound, and the other conditions stay a filter', () => {
    const filter = {
      created_from: '1970-01-01T00:00:00.000Z',
      created_before: '9999-12-31T23:59:59.999Z',
      status: 'open',
    };
    const range = rowsOf({ ...started(pending, at(1000)), filter });
    expect(range).toEqual({ from: 0, before: createId(at(6000), 0), filter: { status: 'open' } });
  });
});

describe('the start of a job with created_before [CONTRACT §9]', () => {
  const ending = (before: number): Export =>
    requestExport({ type: 'invoices', format: 'csv', filter: { created_before: at(before) } }, { id: 1, at: at(0) });

  test('the longest delay: longer than any request may take to commit', () => {
    expect(SETTLE_MS).toBeGreaterThan(LAMBDA_DEFAULTS.seconds * 1000);
  });

  test('any created_before: the delay is the shortest one after which the job may start', () => {
    fc.assert(
      fc.property(fc.integer({ min: -21_000, max: 6000 }), (before) => {
        const job = ending(before);
        const delay = startDelay(job, at(0));
        expect(delay).toBe(before > -20_000 && before < 5000 ? before + 20_000 : 0);
        expect(startDelay(job, at(delay))).toBe(0);
        expect(job.due_at).toBe(START + delay + MINUTE);
      }),
      { examples: [[-20_000], [-19_999], [4999], [5000]] },
    );
  });

  test('any start: the file ends at created_before only when no earlier row can be committed any more', () => {
    const start = fc.integer({ min: 0, max: 60_000 });
    fc.assert(
      fc.property(fc.integer({ min: -30_000, max: 60_000 }), start, (before, start) => {
        const job = ending(before);
        fc.pre(startDelay(job, at(start)) === 0);
        const endsAtFilter = rowsOf(started(job, at(start))).before === createId(at(before), 0);
        expect(endsAtFilter).toBe(start >= before + SETTLE_MS || start + CLOCK_MS === before);
      }),
      { numRuns: 1000 },
    );
  });

  test('a job that has started before: no delay', () => {
    expect(startDelay(started(ending(6000), at(50)), at(7000))).toBe(0);
  });

  test('no created_before: no delay', () => {
    expect(startDelay(pending, at(0))).toBe(0);
  });
});
