import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { attributesOf, createSerializer, type Fields } from '#shared/platform/wire/field.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import fc from '#test/support/random/fast-check.ts';
import { cents, copyOf, customer, invoice, partOf, reversed, terms } from '#test/unit/invoicing/arbitrary.ts';
import { replaceInvoice } from '#test/unit/invoicing/invoices/change.ts';
import { faults, parse } from './body.ts';

const AT = '2026-11-21T09:30:00.000Z';

type Json = Record<string, unknown>;

/** The v2 form of a v1 body or member (CONTRACT §4). */
const toV2 = ({ currency, ...rest }: Json): Json =>
  Object.fromEntries(
    Object.entries(rest).map(([name, value]) => {
      const money = { amount: value, ...(currency !== undefined && { currency }) };
      return name.endsWith('_cents') ? [name.replace(/_cents$/, ''), money] : [name, value];
    }),
  );

/** A money object has no currency without an amount. */
const hasV2Form = (body: Json): boolean => !('currency' in body) || 'total_cents' in body;

const status = fc.constantFrom('draft', 'open');
const invoiceBody = fc.record({ terms, status }).chain(({ terms, status }) => partOf({ ...terms, status } as Json));

test('a body of an invoice in v1 and with money objects in v2: the same domain value [CONTRACT §4]', () => {
  fc.assert(
    fc.property(invoiceBody.filter(hasV2Form), fc.constantFrom('create', 'replace', 'patch'), (body, operation) => {
      assert.deepEqual(parse(Invoice[operation].v2, toV2(body)), parse(Invoice[operation].v1, body));
    }),
  );
});

test('an invalid body in v1 and v2: the same violations, each at the pointer of its version [CONTRACT §4, §10]', () => {
  const bad = fc.record(
    {
      status: fc.constantFrom<unknown>('open', 'void', null),
      total_cents: fc.oneof<fc.Arbitrary<unknown>[]>(cents, fc.constantFrom(-1, null, 1.5, '1')),
      currency: fc.constantFrom<unknown>('EUR', 'eur', null),
      customer_id: fc.constantFrom<unknown>(1, 0, null),
      x: fc.constant(1),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const places = { '/total_cents': '/total/amount', '/currency': '/total/currency' };
  const toV2Violation = (fault: string): string => {
    const [pointer = '', code] = fault.split(' ');
    return `${places[pointer as keyof typeof places] ?? pointer} ${code}`;
  };
  fc.assert(
    fc.property(bad.filter(hasV2Form), (body) => {
      for (const operation of ['create', 'replace', 'patch'] as const) {
        const v1 = faults(Invoice[operation].v1, body);
        expect(faults(Invoice[operation].v2, toV2(body))).toEqual(v1.map(toV2Violation).sort());
      }
    }),
  );
});

/** Serializes one row. */
const serialize = (fields: Fields, row: object, names?: readonly string[]) =>
  createSerializer(fields, names)(row as Json);

const RESOURCES = [
  { resource: Invoice as Resource, row: invoice as fc.Arbitrary<object> },
  { resource: Customer as Resource, row: customer as fc.Arbitrary<object> },
];

/** Attributes that a store adds to a row and no response shows. */
const STORED = { account_id: 'acct_1', write_id: 'a', by_status: 'acct_1#open', by_email: 'acct_1#a' };

test('any valid row: written in both versions, and v2 is v1 with money objects [CONTRACT §4]', () => {
  for (const { resource, row } of RESOURCES) {
    fc.assert(
      fc.property(row, (stored) => {
        const v1 = serialize(resource.fields.v1, { ...stored, ...STORED });
        assert.deepEqual(serialize(resource.fields.v2, { ...stored, ...STORED }), toV2(v1));
        assert.deepEqual(Object.keys(v1), Object.keys(resource.fields.v1));
        for (const [name, value] of Object.entries(v1)) {
          if (name in stored) assert.deepEqual(value, stored[name as keyof typeof stored]);
        }
      }),
    );
  }
});

test('a row with its maps in another order: the same bytes, as a strong ETag requires [CONTRACT §7]', () => {
  for (const { resource, row } of RESOURCES) {
    fc.assert(
      fc.property(row, fc.constantFrom(...VERSIONS), (stored, version) => {
        const bytes = (of: unknown) => JSON.stringify(serialize(resource.fields[version], of as Json));
        expect(bytes(reversed(stored))).toBe(bytes(stored));
      }),
    );
  }
});

test('a member sent back with PUT, in either version: no change [CONTRACT §4]', () => {
  fc.assert(
    fc.property(invoice, fc.constantFrom(...VERSIONS), (stored, version) => {
      const body = serialize(Invoice.fields[version], stored as unknown as Json);
      expect(replaceInvoice(stored, parse(Invoice.replace[version], copyOf(body)), AT)).toBe(stored);
    }),
  );
});

const pick = (row: object, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));

test('any selection of fields: its attributes suffice to write exactly these fields [§4, CONTRACT §6]', () => {
  for (const { resource, row } of RESOURCES) {
    for (const version of VERSIONS) {
      const fields = resource.fields[version];
      fc.assert(
        fc.property(row, fc.shuffledSubarray(Object.keys(fields)), (stored, names) => {
          const attributes = attributesOf(fields, names);
          expect(new Set(attributes).size).toBe(attributes.length);
          expect(Object.keys(stored)).toEqual(expect.arrayContaining(attributes));
          const part = serialize(fields, pick(stored, attributes), names);
          const whole = serialize(fields, stored as Json);
          assert.deepEqual(part, pick(whole, names));
          expect(Object.keys(part)).toEqual(Object.keys(whole).filter((name) => names.includes(name)));
        }),
      );
    }
  }
});

test('a row without some attributes: their fields have the fallback or null, and other fields are as before [docs/architecture.md]', () => {
  const fallback = (resource: Resource, name: string) => resource.fields.v1[name]?.fallback ?? null;
  for (const { resource, row } of RESOURCES) {
    fc.assert(
      fc.property(row, fc.nat(20), (stored, i) => {
        const names = Object.keys(stored);
        const absent = names[i % names.length] as string;
        const part = pick(
          stored,
          names.filter((name) => name !== absent),
        );
        for (const version of VERSIONS) {
          const fields = resource.fields[version];
          const [before, after] = [serialize(fields, stored), serialize(fields, part)];
          const others = Object.keys(fields).filter((name) => !attributesOf(fields, [name]).includes(absent));
          assert.deepEqual(pick(after, others), pick(before, others));
          const [text, of] = [JSON.stringify(after), JSON.stringify(before)];
          // A random text may contain it.
          if (!of.includes('NaN')) expect(text).not.toContain('NaN');
        }
        if (absent in resource.fields.v1)
          assert.deepEqual(serialize(resource.fields.v1, part)[absent], fallback(resource, absent));
      }),
    );
  }
});

test('a row with an invalid value, or without a required value: no write [docs/architecture.md]', () => {
  const INVALID = { status: 'SECRET', total_cents: -1, currency: 'usd', due_date: '2026-02-30', created_at: 'SECRET' };
  fc.assert(
    fc.property(invoice, fc.constantFrom(...Object.entries(INVALID)), (stored, [name, value]) => {
      expect(() => Invoice.checkRow({ ...stored })).not.toThrow();
      const row = { ...stored, [name]: value };
      const expected = new TypeError(`A value of ${name} for the table invoices is not valid in its schema.`);
      expect(() => Invoice.checkRow(row)).toThrow(expected);
      expect(() => Invoice.checkRow(row, [name])).toThrow(expected);
      expect(() => Invoice.checkRow(row, ['description', 'version'])).not.toThrow();
      const { created_at: _, ...rest } = stored;
      expect(() => Invoice.checkRow(rest)).toThrow(TypeError);
    }),
  );
});

test('a change of the attributes of a computed field: the field is checked, too [docs/architecture.md]', () => {
  const row = { quantity: 1_000_000, unit_amount_cents: 1_000_000_000, discount_cents: 0, currency: 'USD' };
  expect(() => InvoiceItem.checkRow(row, ['quantity'])).toThrow('A value of amount_cents for the table invoiceItems');
  expect(() => InvoiceItem.checkRow({ ...row, quantity: 1 }, ['quantity'])).not.toThrow();
});

test('an attribute that only v2 shows: checked by the field of v2 [docs/architecture.md]', () => {
  const row = { quantity: 1, unit_amount_cents: 1, currency: 'usd' };
  expect(() => InvoiceItem.checkRow(row, ['currency'])).toThrow('A value of unit_amount for the table invoiceItems');
});
