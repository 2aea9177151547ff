import { expect, test } from '@jest/globals';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { knownParameters, normalForm, parseQuery, parseSelection } from '#shared/platform/http/request/query.ts';
import type { Violation } from '#shared/platform/problem.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { character } from '#test/support/random/character.ts';
import fc from '#test/support/random/fast-check.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';

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

test('parameters without a value, a name or encoding: read as a browser reads them', () => {
  const raw = '&&a&=b&c=d=e&f=1+2%2B3&g=1;h=2&';
  const all = { a: '', '': 'b', c: 'd=e', f: '1 2+3', g: '1;h=2' };
  expect(new Map(parseQuery(raw))).toEqual(new Map(Object.entries(all)));
});

const faultsOf = (raw: string, names: string[] = ['a', 'b']): string[] => {
  const violations: Violation[] = [];
  knownParameters(parseQuery(raw), names, violations);
  return violations.map((one) => `${'parameter' in one && one.parameter} ${one.code}`);
};

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

const names = fc.array(fc.oneof(fc.constantFrom('id', 'status', 'Status', 'total_cents', '', ' id'), fc.string()), {
  minLength: 1,
});
const unbroken = names.map((list) => list.map((name) => name.replaceAll(',', '')));

test('any fields: one normal form, sorted and unique, that is its own normal form [CONTRACT §6]', () => {
  fc.assert(
    fc.property(unbroken, (list) => {
      const form = normalForm(list.join(','));
      expect(form).toEqual([...new Set(list)].sort());
      expect(normalForm(form.join(','))).toEqual(form);
    }),
  );
});

test.each<[query: string, Version, string[]]>([
  ['fields=status,id', 'v1', ['id', 'status']],
  ['fields=amount_due_cents', 'v1', ['amount_credited_cents', 'amount_paid_cents', 'status', 'total_cents']],
  ['fields=amount_due', 'v2', ['amount_credited_cents', 'amount_paid_cents', 'currency', 'status', 'total_cents']],
  ['fields=status&expand=customer', 'v1', ['customer_id', 'status']],
])(
  '%s in %s: selects only the stored attributes that the response is made of [§4, CONTRACT §6]',
  (query, version, expected) => {
    const { attributes } = parseSelection(Invoice.fields[version], Invoice.relations, new Map(parseQuery(query)), []);
    expect([...new Set(attributes)].sort()).toEqual(expected);
  },
);
