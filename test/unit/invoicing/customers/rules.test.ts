import { expect, test } from '@jest/globals';
import { type Customer, patchCustomer, replaceCustomer } from '#shared/invoicing/customers/rules.ts';
import fc from '#test/support/random/fast-check.ts';
import { copyOf, customer, partOf } from '../arbitrary.ts';

const AT = '2026-11-21T09:30:00.000Z';

const writableFields = ({ name, email, tax_id, address, external_id, metadata }: Customer) => ({
  name,
  email,
  tax_id,
  address,
  external_id,
  metadata,
});

test('PATCH or PUT that changes nothing: the same customer object [CONTRACT §4]', () => {
  const parts = customer.chain((one) => fc.tuple(fc.constant(one), partOf(writableFields(one))));
  fc.assert(
    fc.property(parts, ([one, part]) => {
      // In a merge patch, null inside an object removes a member, so the address cannot be sent back.
      const { address: _, ...patch } = part;
      expect(patchCustomer(one, copyOf(patch), AT)).toBe(one);
      expect(replaceCustomer(one, copyOf(writableFields(one)), AT)).toBe(one);
    }),
  );
});
