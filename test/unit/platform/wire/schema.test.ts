import { expect, test } from '@jest/globals';
import { COUNTRIES } from '#shared/invoicing/customers/countries.ts';
import { Country } from '#shared/invoicing/customers/resource.ts';
import { CalendarDate, Currency, Timestamp, text } from '#shared/platform/wire/schema.ts';
import { character } from '#test/support/random/character.ts';
import fc from '#test/support/random/fast-check.ts';
import { faults, parse } from './body.ts';

test('a valid string: kept verbatim [CONTRACT §3]', () => {
  const any = fc.string({ unit: character, maxLength: 50 }).filter((one) => !one.includes('\0'));
  fc.assert(fc.property(any, (one) => parse(text(), one) === one));
});

test('any limit: characters are counted as code points [CONTRACT §3]', () => {
  const units = fc.array(fc.constantFrom('x', '😀', 'é', 'e\u0301'), { maxLength: 30 });
  fc.assert(
    fc.property(units, fc.nat(30), (parts, limit) => {
      const value = parts.join('');
      expect(faults(text({ max: limit }), value)).toEqual([...value].length > limit ? [' too-long'] : []);
    }),
  );
});

test('a currency: accepted only as an upper-case code that Intl lists [CONTRACT §12]', () => {
  const codes = Intl.supportedValuesOf('currency');
  expect(codes).toEqual(expect.arrayContaining(['USD', 'EUR', 'JPY', 'KWD']));
  for (const code of codes) {
    expect(parse(Currency, code)).toBe(code);
    expect(faults(Currency, code.toLowerCase())).toEqual([' invalid-currency']);
  }
  const letters = fc.string({ unit: fc.constantFrom(...'ABCDEUSDusd €1'), minLength: 0, maxLength: 4 });
  fc.assert(
    fc.property(fc.oneof(letters, fc.constantFrom('constructor', 'length', '0')), (code) => {
      expect(faults(Currency, code)).toEqual(codes.includes(code) ? [] : [' invalid-currency']);
    }),
  );
});

test('a country: only the 249 codes of ISO 3166 alpha-2 are accepted [CONTRACT §4]', () => {
  expect(new Set(COUNTRIES).size).toBe(249);
  expect(COUNTRIES.filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([]);
  for (const code of COUNTRIES) expect(faults(Country, code)).toEqual([]);
});

test('any date from 1900 to 2400: accepted only if it is in the Gregorian calendar [CONTRACT §3]', () => {
  const two = (number: number) => String(number).padStart(2, '0');
  const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const part = [fc.integer({ min: 1900, max: 2400 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 })];
  fc.assert(
    fc.property(...(part as [fc.Arbitrary<number>, fc.Arbitrary<number>, fc.Arbitrary<number>]), (year, month, day) => {
      const days = [0, 31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
      const expected = day >= 1 && day <= days ? [] : [' invalid-date'];
      expect(faults(CalendarDate, `${year}-${two(month)}-${two(day)}`)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test.each<[unknown[], string[]]>([
  [['2026-11-21T09:30:00.000Z', '2024-02-29T23:59:59.999Z'], []],
  [['2026-02-29T09:30:00.000Z', '2026-11-21T24:00:00.000Z', '2026-11-21T23:59:60.000Z'], [' invalid-timestamp']],
  [['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000+00:00', '2026-11-21 09:30:00.000Z'], [' invalid-timestamp']],
  [['2026-11-21', 1], [' invalid-timestamp']],
])('%j as a timestamp: accepted only in UTC with milliseconds, otherwise %j [CONTRACT §3]', (values, expected) => {
  for (const value of values) expect([value, faults(Timestamp, value)]).toEqual([value, expected]);
});
