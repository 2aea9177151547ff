import { expect, test } from '@jest/globals';
import { parseTime, toTimestamp } from '#shared/platform/wire/time.ts';

test.each([
  ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21t09:30:00z', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21T09:30:00.5Z', '2026-11-21T09:30:00.500Z'],
  ['2026-11-21T09:30:00.035Z', '2026-11-21T09:30:00.035Z'],
  ['2026-11-21T09:30:00.0350Z', '2026-11-21T09:30:00.035Z'],
  ['2026-11-21T09:30:00.0351Z', '2026-11-21T09:30:00.036Z'],
  ['2026-11-21T11:30:00+02:00', '2026-11-21T09:30:00.000Z'],
  ['2026-11-20T21:45:00-11:45', '2026-11-21T09:30:00.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
])('the time %s: %s, rounded up to a millisecond [CONTRACT §4]', (text, expected) => {
  expect(new Date(parseTime(text) as number).toISOString()).toBe(expected);
});

test.each([
  '2026-11-21',
  '2026-11-21T09:30Z',
  '2026-11-21T09:30:00',
  '2026-11-21 09:30:00Z',
  '2026-02-30T09:30:00Z',
  '2026-13-01T09:30:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T09:30:60Z',
  '2026-11-21T09:30:00+0200',
  '2026-11-21T09:30:00+24:00',
  '1763717400',
  '',
])('%j, which is no RFC 3339 time with seconds and offset: undefined [CONTRACT §4]', (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test.each([
  ['2026-11-21T11:30:00.5+02:00', '2026-11-21T09:30:00.500Z'],
  ['0000-01-01T00:00:00+00:01', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
])('the time %s as a timestamp: %s [CONTRACT §3]', (text, expected) => {
  expect(toTimestamp(parseTime(text) as number)).toBe(expected);
});
