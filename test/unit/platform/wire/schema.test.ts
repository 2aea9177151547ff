import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { COUNTRIES } from '#shared/invoicing/customers/countries.ts';
import { Country } from '#shared/invoicing/customers/resource.ts';
import { CalendarDate, Currency, cents, Id, type Schema, Timestamp, text } from '#shared/platform/wire/schema.ts';
import { codeAndDetail } from '#shared/platform/wire/violation.ts';
import { character } from '#test/support/random/character.ts';
import fc from '#test/support/random/fast-check.ts';
import { EMOJI, faults, parse, repeat } from './body.ts';

test.each<[string, string, string[]]>([
  ['no characters', '', []],
  ['1,000 characters', repeat(1000), []],
  ['1,001 characters', repeat(1001), [' too-long']],
  ['1,000 characters of two code units', repeat(1000, EMOJI), []],
  ['1,001 characters of two code units', repeat(1001, EMOJI), [' too-long']],
  ['501 letters, each with a combining accent (1,002 characters)', repeat(501, 'e\u0301'), [' too-long']],
  ['U+0000', 'a\0b', [' invalid-text']],
  ['a lone high surrogate', 'a\ud83d', [' invalid-text']],
  ['a lone low surrogate', '\ude00a', [' invalid-text']],
  ['two surrogates in the wrong order', '\ude00\ud83d', [' invalid-text']],
  ['1,001 times U+0000', repeat(1001, '\0'), [' invalid-text', ' too-long']],
  ['U+0001, U+FFFF, a byte order mark, line ends', '\u0001\uffff\ufeff\r\n', []],
])('a string of %s: checked for length, U+0000 and lone surrogates [CONTRACT §3]', (_, value, expected) => {
  expect(faults(text(), value)).toEqual(expected);
});

test('a valid string: kept verbatim [CONTRACT §3]', () => {
  const any = fc.string({ unit: character, maxLength: 50 }).filter((one) => !one.includes('\0'));
  fc.assert(fc.property(any, (one) => parse(text(), one) === one));
});

test('any limit: characters are counted as code points [CONTRACT §3]', () => {
  const units = fc.array(fc.constantFrom('x', EMOJI, 'é', 'e\u0301'), { maxLength: 30 });
  fc.assert(
    fc.property(units, fc.nat(30), (parts, limit) => {
      const value = parts.join('');
      expect(faults(text({ max: limit }), value)).toEqual([...value].length > limit ? [' too-long'] : []);
    }),
  );
});

test('a string of at least one character: the empty string is too-short [CONTRACT §4]', () => {
  expect(faults(text({ min: 1 }), '')).toEqual([' too-short']);
  expect(faults(text({ min: 1 }), EMOJI)).toEqual([]);
});

test.each<[unknown]>([[1], [null], [true], [[]], [{}]])('%j for a string: invalid-type [CONTRACT §3]', (value) => {
  expect(faults(text(), value)).toEqual([' invalid-type']);
});

test.each<[unknown[], string[]]>([
  [[0, 1, 999_999_999_999], []],
  [[-1, 1_000_000_000_000, 2 ** 53, 1e300], [' out-of-range']],
  [[0.5, Number.POSITIVE_INFINITY, '1', null, true, [1], {}], [' invalid-type']],
])('%j as an amount: accepted only as an integer in 0…999999999999, otherwise %j [CONTRACT §3]', (values, expected) => {
  for (const value of values) expect([value, faults(cents(), value)]).toEqual([value, expected]);
});

test('-0 as an amount: read as 0 [CONTRACT §3]', () => {
  expect(Object.is(parse(cents(), JSON.parse('-0')), 0)).toBe(true);
});

test.each<[unknown[], string[]]>([
  [[1, 2 ** 53 - 1], []],
  [[2 ** 53, 0, -1, 1.5, '1', null], [' invalid-id']],
])(
  '%j as an id in a body: accepted only as an integer in 1…2^53−1, otherwise %j [CONTRACT §12]',
  (values, expected) => {
    for (const value of values) expect([value, faults(Id, value)]).toEqual([value, expected]);
  },
);

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
  for (const other of [null, 840, ['USD'], {}]) expect(faults(Currency, other)).toEqual([' invalid-currency']);
});

test('a country: only the 249 codes of ISO 3166 alpha-2 are accepted [CONTRACT §4]', () => {
  expect(new Set(COUNTRIES).size).toBe(249);
  expect(COUNTRIES.filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([]);
  for (const code of COUNTRIES) expect(faults(Country, code)).toEqual([]);
  for (const code of ['de', 'DEU', 'UK', 'EU', 'XK', 'ZZ', 'AN', 'YU', '', 'D', ' DE', null, 276]) {
    expect(faults(Country, code)).toEqual([' invalid-country']);
  }
});

const NO_CURRENCY = 'must be an ISO 4217 code in upper case';
const NO_COUNTRY = 'must be an ISO 3166 alpha-2 code in upper case';

test.each<[unknown, Schema<string>, string]>([
  ['VED', Currency, 'is not a supported currency'],
  ['usd', Currency, NO_CURRENCY],
  ['USDX', Currency, NO_CURRENCY],
  [['VED'], Currency, NO_CURRENCY],
  [{ toString: null }, Currency, NO_CURRENCY],
  ['XK', Country, 'is not a supported country'],
  ['de', Country, NO_COUNTRY],
])('the code %j: the detail states the cause that was checked [CONTRACT §10]', (value, schema, detail) => {
  expect(v.safeParse(schema, value).issues?.map((issue) => codeAndDetail(issue).detail)).toEqual([detail]);
});

test.each<[unknown[], string[]]>([
  ['2026-02-28 2024-02-29 2000-02-29 1900-02-28 2026-12-31 9999-12-31'.split(' '), []],
  ['2026-02-30 2026-02-29 1900-02-29 2100-02-29 2026-04-31'.split(' '), [' invalid-date']],
  ['2026-01-32 2026-01-00 2026-00-01 2026-13-01 2026-1-1 26-01-01'.split(' '), [' invalid-date']],
  ['+002026-01-01 -2026-01-01 20260101 2026-01-01T00:00:00.000Z ２０２６-01-01'.split(' '), [' invalid-date']],
  [['2026-01-01 ', '2026-01-01\n', '', 20260101, null, ['2026-01-01']], [' invalid-date']],
])('%j as a date: accepted only if it exists, otherwise %j [CONTRACT §3]', (values, expected) => {
  for (const value of values) expect([value, faults(CalendarDate, value)]).toEqual([value, expected]);
});

test.each<[string, readonly string[]]>([
  ['1899-12-31', [' invalid-date']],
  ['1900-01-01', []],
  ['9999-12-31', []],
  ['0000-01-01', [' invalid-date']],
])('the date %s: %j [CONTRACT §3]', (value, expected) => {
  expect(faults(CalendarDate, value)).toEqual(expected);
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
