import { PostalAddress } from '#shared/invoicing/customers/resource.ts';
import type { BillTo } from '#shared/invoicing/customers/rules.ts';
import { readOnly } from '#shared/platform/wire/field.ts';
import { namedObject, nullable, type Schema, Timestamp, text } from '#shared/platform/wire/schema.ts';

const BillToSchema = namedObject('BillTo', {
  name: text(),
  email: nullable(text()),
  tax_id: nullable(text()),
  address: nullable(PostalAddress),
}) as Schema<BillTo>;

/**
 * The read-only fields of a document that can get a number (CONTRACT §4 Numbers and issued invoices).
 * @param billTo the meaning of `bill_to`
 */
export const numberFields = (billTo: string) => ({
  number: {
    ...readOnly(
      nullable(text({ min: 1, max: 40 })),
      'The number that its series assigned, or null. Numbers of a series have no gaps.',
    ),
    existsFrom: 'commit' as const,
  },
  issued_at: readOnly(nullable(Timestamp), 'When it got its number, or null.'),
  bill_to: readOnly(nullable(BillToSchema), billTo),
});
