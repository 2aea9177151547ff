import { expect, test } from '@jest/globals';
import { knownParameters, parseQuery } from '#shared/platform/http/request/query.ts';
import type { Violation } from '#shared/platform/problem.ts';
import { character } from '#test/support/random/character.ts';
import fc from '#test/support/random/fast-check.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';

const text = fc.oneof(
  fc.string({ unit: character }),
  fc.constantFrom('+', ' ', '%', '&', '=', '%2B', 'ä😀', ...INHERITED),
);
const pairs = fc.array(fc.tuple(text, text), { maxLength: 6 });

test('parameters that encodeURIComponent encodes: read back in order, also repeated parameters', () => {
  fc.assert(
    fc.property(pairs, (all) => {
      const raw = all.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
      expect(parseQuery(raw)).toEqual(all);
    }),
  );
});

test('parameters that URLSearchParams encodes: read back, with + as a space', () => {
  fc.assert(fc.property(pairs, (all) => expect(parseQuery(new URLSearchParams(all).toString())).toEqual(all)));
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['', {}],
  ['&&', {}],
  ['a=1&&b=2&', { a: '1', b: '2' }],
  ['a', { a: '' }],
  ['a=', { a: '' }],
  ['=a', { '': 'a' }],
  ['a=b=c', { a: 'b=c' }],
  ['a=1+2%2B3', { a: '1 2+3' }],
  ['a+b=c', { 'a b': 'c' }],
  ['a=1,2', { a: '1,2' }],
  ['a=1;b=2', { a: '1;b=2' }],
  ['%61=%C3%A4', { a: 'ä' }],
  ['a=%00', { a: '\0' }],
])('the query %j: read as %j', (raw, expected) => {
  expect(parseQuery(raw)).toEqual(Object.entries(expected));
});

const INVALID = '% a=% a=%1 a=%zz %g1=1 a=1&b=% a=%ff a=%c3 a=%c3%28 a=%ed%a0%80 a=%f4%90%80%80 a=100%';

test.each(INVALID.split(' '))(
  'the query %j, whose percent-encoding is invalid: 400 malformed-query [CONTRACT §12]',
  (raw) => {
    expect(problemOf(() => parseQuery(raw)).code).toBe('malformed-query');
  },
);

const faultsOf = (raw: string, names: string[] = ['a', 'b']): string[] => {
  const violations: Violation[] = [];
  knownParameters(parseQuery(raw), names, violations);
  return violations.map((one) => `${'parameter' in one && one.parameter} ${one.code}`);
};

test.each<[string, string[]]>([
  ['', []],
  ['a=1', []],
  ['a=1&b=2', []],
  ['a=1&a=1', ['a repeated']],
  ['a=1&a=2&a=3', ['a repeated']],
  ['a=1&%61=2', ['a repeated']],
  ['A=1', ['A unknown-parameter']],
  ['x=1&x=2', ['x unknown-parameter', 'x repeated']],
  ['x=1&a=1&y=2&a=2', ['x unknown-parameter', 'y unknown-parameter', 'a repeated']],
  ['=1', [' unknown-parameter']],
  ['a[]=1', ['a[] unknown-parameter']],
  [INHERITED.join('&'), INHERITED.map((name) => `${name} unknown-parameter`)],
])('an unknown or repeated parameter in %j: 422 naming it [CONTRACT §4, §12]', (raw, expected) => {
  expect(faultsOf(raw)).toEqual(expected);
});

test('any unknown and repeated parameters: all reported at once, each once [CONTRACT §10]', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'x', 'y')), (names) => {
      const times = (name: string) => names.filter((one) => one === name).length;
      const expected = [...new Set(names)].flatMap((name) => [
        ...('ab'.includes(name) ? [] : [`${name} unknown-parameter`]),
        ...(times(name) > 1 ? [`${name} repeated`] : []),
      ]);
      expect(faultsOf(names.join('&')).sort()).toEqual(expected.sort());
    }),
  );
});

test('known parameters: their values by name', () => {
  expect([...knownParameters(parseQuery('b=2&a=1'), ['a', 'b'], [])]).toEqual([
    ['b', '2'],
    ['a', '1'],
  ]);
});
