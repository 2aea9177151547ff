import { expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { linesOf } from '#shared/invoicing/exports/lines.ts';
import { born } from '#shared/platform/entity.ts';
// The oracle reads names of all kinds.
import '#shared/platform/workarounds/v8-json-parse-63785.ts';

const csv = linesOf(Customer, 'csv');
const jsonl = linesOf(Customer, 'jsonl');

/** Texts full of what CSV, JSON and spreadsheets take for something else. */
const text = fc
  .array(fc.oneof(fc.constantFrom(...',"\r\n\t=+-@\'; ', '\\', 'é', '😀'), fc.string({ maxLength: 3 })), {
    maxLength: 6,
  })
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
  .map((details) => born(details, { id: 1, at: '2026-11-21T09:00:00.000Z' }) as never);

test('CONTRACT §9: CSV is RFC 4180: another parser reads back every text, with a quote before what is a formula', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 4 }), (rows) => {
      const records: string[][] = parse(csv.head + rows.map((each) => csv.line(each)).join(''), {
        relax_quotes: false,
      });
      expect(records[0]).toEqual(Object.keys(Customer.fields.v1));
      expect(records.length).toBe(rows.length + 1);
      for (const [i, each] of rows.entries()) {
        const { name, email, metadata } = each as { name: string; email: string | null; metadata: object };
        const [, first, second, , , last] = records[i + 1] as string[];
        const shown = (value: string) => (/^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value);
        expect([first, second]).toEqual([shown(name), email === null ? '' : shown(email)]);
        expect(JSON.parse(last as string)).toEqual(metadata);
      }
    }),
    { numRuns: 500 },
  );
});

test('CONTRACT §9: null is an empty cell, and the empty text a quoted one', () => {
  const details = { name: '', email: null, tax_id: '', address: null, metadata: {} };
  expect(csv.line(born(details, { id: 1, at: '2026-11-21T09:00:00.000Z' }) as never)).toMatch(/^1,"",,"",,\{\},2026/);
});

test('CONTRACT §9: no cell of a CSV file is a formula', () => {
  fc.assert(
    fc.property(row, (each) => {
      const [record]: string[][] = parse(csv.line(each));
      for (const cell of record ?? []) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
    }),
    { numRuns: 500 },
  );
});

test('CONTRACT §9: a line of JSONL is one line, and one resource', () => {
  fc.assert(
    fc.property(row, (each) => {
      const line = jsonl.line(each);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(Object.keys(JSON.parse(line))).toEqual(Object.keys(Customer.fields.v1));
    }),
  );
});

test('a row that does not fit its schema is a fault, never a line', () => {
  const broken = born({ name: 5, email: null, tax_id: null, address: null, metadata: {} }, { id: 1, at: 'never' });
  for (const lines of [csv, jsonl]) expect(() => lines.line(broken as never)).toThrow(TypeError);
});

test('a file with some columns has just those, in their order; an unknown one is an error [CONTRACT §9]', () => {
  const row = { id: 7, name: 'Ada', email: null };
  const some = linesOf(Customer, 'csv', ['name', 'id']);
  expect([some.head, some.line(row)]).toEqual(['name,id\r\n', 'Ada,7\r\n']);
  expect(linesOf(Customer, 'jsonl', ['name', 'email']).line(row)).toBe('{"name":"Ada","email":null}\n');
  expect(() => linesOf(Customer, 'csv', ['fax'])).toThrow('There is no field fax.');
});
