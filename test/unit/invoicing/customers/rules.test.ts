import { expect, test } from '@jest/globals';
import {
  type Customer,
  checkDeletable,
  createCustomer,
  patchCustomer,
  replaceCustomer,
} from '#shared/invoicing/customers/rules.ts';
import fc from '#test/support/random/fast-check.ts';
import { copyOf, customer, details, partOf } from '../arbitrary.ts';
import { problemOf } from '../problem.ts';

const AT = '2026-11-21T09:30:00.000Z';
const ann = createCustomer(
  { name: 'Ann', email: 'ann@example.com', tax_id: null, address: null, metadata: { a: '1' } },
  { id: 7, at: '2026-01-01T00:00:00.000Z' },
);

const writableFields = ({ name, email, tax_id, address, metadata }: Customer) => ({
  name,
  email,
  tax_id,
  address,
  metadata,
});

test('a new customer: its id, its times, version 1 and no invoices [CONTRACT §4, §7]', () => {
  fc.assert(
    fc.property(details, (one) => {
      const counts = { invoice_count: 0, invoice_count_changes: 0 };
      const firstVersion = { id: 42, version: 1, created_at: AT, updated_at: AT, ...counts };
      expect(createCustomer(one, { id: 42, at: AT })).toEqual({ ...one, ...firstVersion });
    }),
  );
});

test('PATCH of two fields: only these fields change, and the version rises by one [CONTRACT §4, §7]', () => {
  expect(patchCustomer(ann, { name: 'Anna', email: null }, AT)).toEqual({
    ...ann,
    name: 'Anna',
    email: null,
    version: 2,
    updated_at: AT,
  });
});

test('PATCH of an address: merged line by line, and null removes a line (RFC 7396) [CONTRACT §4]', () => {
  const home = patchCustomer(ann, { address: { city: 'Ulm', country: 'DE' } }, AT);
  expect(home.address).toEqual({ city: 'Ulm', country: 'DE' });
  expect(patchCustomer(home, { address: { city: null, line1: 'Weg 1' } }, AT).address).toEqual({
    line1: 'Weg 1',
    country: 'DE',
  });
  expect(patchCustomer(home, { address: null }, AT).address).toBeNull();
});

test('PATCH or PUT that changes nothing: the same customer object [CONTRACT §4]', () => {
  const parts = customer.chain((one) => fc.tuple(fc.constant(one), partOf(writableFields(one))));
  fc.assert(
    fc.property(parts, ([one, part]) => {
      // In a merge patch, null inside an object removes a member, so the address cannot be sent back.
      const { address: _, ...patch } = part;
      expect(patchCustomer(one, copyOf(patch), AT)).toBe(one);
      expect(patchCustomer(one, {}, AT)).toBe(one);
      expect(replaceCustomer(one, copyOf(writableFields(one)), AT)).toBe(one);
    }),
  );
});

test('PUT: replaces every writable field and no other [CONTRACT §4]', () => {
  fc.assert(
    fc.property(customer, details, (one, other) => {
      const after = replaceCustomer(one, other, AT);
      expect(writableFields(after)).toEqual(other);
      expect([after.id, after.created_at, after.invoice_count]).toEqual([one.id, one.created_at, one.invoice_count]);
      if (after !== one) expect([after.version, after.updated_at]).toEqual([one.version + 1, AT]);
    }),
  );
});

test('PATCH of metadata: the pairs are counted after the merge [CONTRACT §4]', () => {
  const full = { ...ann, metadata: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`key${i}`, 'x'])) };
  expect(patchCustomer(full, { metadata: { key0: null as never, more: 'x' } }, AT).metadata).toHaveProperty('more');
  expect(problemOf(() => patchCustomer(full, { metadata: { more: 'x' } }, AT)).code).toBe('validation-failed');
});

test('DELETE of a customer that an invoice names: 409 customer-in-use [CONTRACT §4]', () => {
  expect(() => checkDeletable(ann)).not.toThrow();
  for (const invoice_count of [1, 2, 1000]) {
    expect(problemOf(() => checkDeletable({ ...ann, invoice_count })).code).toBe('customer-in-use');
  }
});
