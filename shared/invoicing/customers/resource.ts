import * as v from 'valibot';
import type { Address, CustomerDetails, CustomerReplacement } from '#shared/invoicing/customers/rules.ts';
import { externalId } from '#shared/invoicing/external-id.ts';
import { resources } from '#shared/invoicing/index.ts';
import { metadata } from '#shared/invoicing/metadata/schema.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { optional, required } from '#shared/platform/wire/field.ts';
import { type Entries, namedObject, nullable, type Schema, standardCode, text } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';
import { COUNTRIES } from './countries.ts';

export const Country: Schema<string> = v.pipe(
  standardCode('country', COUNTRIES, 'ISO 3166 alpha-2 code', /^[A-Z]{2}$/),
  v.metadata({ title: 'Country' }),
);

/** RFC 3696, erratum 1690. */
const MAX_EMAIL_LENGTH = 320;

const EMAIL = /^[^@\s]+@[^@\s]+$/;
/**
 * Characters of the category `Cf` are invisible in a copied address. The pattern of the document omits them: Python has
 * no `\p`.
 */
const INVISIBLE = /[\s\p{Cf}]/u;

/** The form of nearly every address (CONTRACT §4). Only a message shows whether an address exists. */
const Email = v.pipe(
  text({ max: MAX_EMAIL_LENGTH }),
  v.check(
    (value) => EMAIL.test(value) && !INVISIBLE.test(value),
    ({ input }) =>
      issue(
        'invalid-email',
        INVISIBLE.test(input)
          ? 'must hold neither white space nor an invisible character'
          : 'must have one @ with at least one character on each side',
      ),
  ),
  v.metadata({ pattern: EMAIL.source }),
);

const line = v.exactOptional(nullable(text()));
const lines: Entries = {
  line1: line,
  line2: line,
  city: line,
  region: line,
  postal_code: line,
  country: v.exactOptional(nullable(Country)),
};

export const PostalAddress = namedObject('Address', lines) as Schema<Address>;

export const Customer = resource<CustomerDetails, CustomerReplacement>(resources.customers, {
  name: required(text(), 'The name of the person or company.', { accepts: text({ min: 1 }) }),
  email: optional(nullable(text()), null, 'The email address. It is stored unchanged, and only its form is checked.', {
    accepts: nullable(Email),
  }),
  tax_id: optional(
    nullable(text()),
    null,
    'The tax number, such as a VAT identification number. It is stored unchanged and not checked.',
  ),
  address: optional(nullable(PostalAddress), null, 'The postal address. Every part is optional.'),
  external_id: externalId,
  metadata,
});
