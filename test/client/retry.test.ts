import { afterEach, expect, jest, test } from '@jest/globals';
import { InvoicingError } from '#client/source/error.ts';
import { delayOf, mayRetry, pause, retryAfterOf } from '#client/source/retry.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
afterEach(() => {
  jest.restoreAllMocks();
});

const parseRetryAfter = (headers: Record<string, string>) => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
  return retryAfterOf(new Headers(headers));
};

test.each([
  ['seconds', { 'retry-after': '3' }, 3000],
  ['0 seconds', { 'retry-after': '0' }, 0],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:05 GMT' }, 5000],
  [
    'a date, relative to the Date header',
    { 'retry-after': 'Sat, 21 Nov 2026 13:00:05 GMT', date: 'Sat, 21 Nov 2026 13:00:00 GMT' },
    5000,
  ],
  ['a date in the past', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
  ['an invalid value', { 'retry-after': 'soon' }, undefined],
  ['no header', {}, undefined],
])('Retry-After (%s): its milliseconds (RFC 9110 §10.2.3)', (_, headers, expected) => {
  expect(parseRetryAfter(headers as Record<string, string>)).toBe(expected);
});

test('the delay of a retry: full jitter within a doubling span, on top of Retry-After', () => {
  const spans = (fraction: number) => {
    jest.spyOn(Math, 'random').mockReturnValue(fraction);
    return [1, 2, 3, 4, 20].map((attempt) => delayOf(attempt, 1000));
  };
  expect(spans(0)).toEqual([1000, 1000, 1000, 1000, 1000]);
  expect(spans(1)).toEqual([1200, 1400, 1800, 2600, 11_000]);
  jest.restoreAllMocks();
  expect(new Set(Array.from({ length: 20 }, () => delayOf(3))).size).toBeGreaterThan(15);
});

test.each([
  ['network-error', undefined, true],
  ['timeout', undefined, true],
  ['unavailable', 503, true],
  ['unexpected-answer', 502, true],
  ['unexpected-answer', 504, true],
  ['unexpected-answer', 200, false],
  ['unexpected-answer', 302, false],
  ['unexpected-answer', undefined, false],
  ['too-many-requests', 429, true],
  ['request-in-progress', 409, true],
  ['internal-error', 500, false],
  ['customer-in-use', 409, false],
  ['precondition-failed', 412, false],
  ['validation-failed', 422, false],
] as const)('%s %s: sent again is %s', (code, status, expected) => {
  expect(mayRetry(new InvoicingError(code, '', { status }))).toBe(expected);
});

test('a Retry-After of more than a minute: no retry', () => {
  const error = (retryAfter: number) => new InvoicingError('unavailable', '', { status: 503, retryAfter });
  expect([mayRetry(error(60_000)), mayRetry(error(60_001))]).toEqual([true, false]);
});

test('an aborted signal: ends a pause, and a new pause does not begin', async () => {
  const stopping = new AbortController();
  const paused = pause(60_000, stopping.signal);
  stopping.abort(new Error('enough'));
  await expect(paused).rejects.toThrow('enough');
  await expect(pause(60_000, stopping.signal)).rejects.toThrow('enough');
  await expect(pause(1, undefined)).resolves.toBeUndefined();
});
