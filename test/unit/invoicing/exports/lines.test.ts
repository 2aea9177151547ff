import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { linesOf } from '#shared/invoicing/exports/lines.ts';
import { createEntity } from '#shared/platform/entity.ts';
import fc from '#test/support/random/fast-check.ts';
// The assertions parse JSON with any names.
import '#shared/platform/workarounds/v8-json-parse-63785.ts';

const csv = linesOf(Customer, 'csv');
const jsonl = linesOf(Customer, 'jsonl');

/** Texts with characters that are special in CSV, JSON or spreadsheets. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...',"\r\n\t=+-@\'; ', '\\', 'é', '😀', '\u200b', '\ufeff', '＝', '－'),
      fc.string({ maxLength: 3 }),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))
  .filter((value) => value.isWellFormed() && !value.includes('\0'));
const row = fc
  .record({
    name: text,
    email: fc.option(text),
    tax_id: fc.option(text),
    address: fc.option(fc.record({ city: text })),
    metadata: fc.dictionary(
      text.filter((key) => key !== '' && key !== '__proto__'),
      text,
      { maxKeys: 3 },
    ),
  })
  .map((details) => createEntity(details, { id: 1, at: '2026-11-21T09:00:00.000Z' }) as never);

/** By the simplest reading of CONTRACT §9. */
const isFormula = (value: string): boolean =>
  ['\t', '\r', '\n'].includes(value.charAt(0)) ||
  '=+-@＝＋－＠'.split('').includes(value.replace(/^[\s\u0085\u200b]+/, '').charAt(0));

test.each([
  ...['=1+1', '+1', '-1', '@x', '\ttext', '\rtext', '\ntext'],
  ...[' =1+1', '\u00a0+1', '\ufeff-1', '\u200b@x', '\u0085=1', ' \u3000\u200b\t =1', '\v=1'],
  ...['＝1+1', '＋1', '－1', '＠x', ' ＝1+1'],
])("the text %j in a cell: prefixed with ' [CONTRACT §9]", (name) => {
  const [record]: string[][] = parse(csv.line({ id: 1, name }));
  expect(record?.[1]).toBe(`'${name}`);
});

test.each(['1=1', ' a', "'=1", '', ' ', 'a＝', '−1', '\u2060=1', '. =1'])(
  'the text %j in a cell: unchanged [CONTRACT §9]',
  (name) => {
    const [record]: string[][] = parse(csv.line({ id: 1, name }));
    expect(record?.[1]).toBe(name);
  },
);

test('a JSON number in a cell: never prefixed; the file begins without a byte order mark [CONTRACT §9]', () => {
  expect(csv.line({ id: -1, name: -5 })).toMatch(/^-1,-5,/);
  expect(csv.head).toMatch(/^id,/);
});

test("any text in a CSV file: another RFC 4180 parser reads it back, with ' before a formula [CONTRACT §9]", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const records: string[][] = parse(csv.head + rows.map((each) => csv.line(each)).join(''), {
        relax_quotes: false,
      });
      expect(records[0]).toEqual(Object.keys(Customer.fields.v1));
      expect(records.length).toBe(rows.length + 1);
      for (const [i, each] of rows.entries()) {
        const { name, email, metadata } = each as { name: string; email: string | null; metadata: object };
        const [, first, second, , , , last] = records[i + 1] as string[];
        const shown = (value: string) => (isFormula(value) ? `'${value}` : value);
        expect([first, second]).toEqual([shown(name), email === null ? '' : shown(email)]);
        expect(JSON.parse(last as string)).toEqual(metadata);
        expect(records[i + 1]?.some(isFormula)).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test('null: an empty cell; an empty text: a quoted empty cell', () => {
  const details = { name: '', email: null, tax_id: '', address: null, external_id: null, metadata: {} };
  expect(csv.line(createEntity(details, { id: 1, at: '2026-11-21T09:00:00.000Z' }) as never)).toMatch(
    /^1,"",,"",,,\{\},2026/,
  );
});

test('any row of a JSONL file: one line with one resource [CONTRACT §9]', () => {
  fc.assert(
    fc.property(row, (each) => {
      const line = jsonl.line(each);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(Object.keys(JSON.parse(line))).toEqual(Object.keys(Customer.fields.v1));
    }),
  );
});

test('a row of another deployment: a line with the stored values, and the fallback or nothing for absent values', () => {
  const row = { id: 1, name: 5, email: 'a', plan: 'x' };
  expect(csv.line(row)).toBe('1,5,a,,,,{},,\r\n');
  expect(JSON.parse(jsonl.line(row))).toEqual({
    id: 1,
    name: 5,
    email: 'a',
    tax_id: null,
    address: null,
    external_id: null,
    metadata: {},
    created_at: null,
    updated_at: null,
  });
});

test('a file with given columns: only these, in their order; an unknown column: an error', () => {
  const row = { id: 7, name: 'Ada', email: null };
  const some = linesOf(Customer, 'csv', ['name', 'id']);
  expect([some.head, some.line(row)]).toEqual(['name,id\r\n', 'Ada,7\r\n']);
  expect(linesOf(Customer, 'jsonl', ['name', 'email']).line(row)).toBe('{"name":"Ada","email":null}\n');
  expect(() => linesOf(Customer, 'csv', ['fax'])).toThrow('No field fax.');
});
