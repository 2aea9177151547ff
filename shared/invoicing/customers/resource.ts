import * as v from 'valibot';
import type { Address, CustomerDetails } from '#shared/invoicing/customers/rules.ts';
import { Metadata, MetadataPatch } from '#shared/invoicing/metadata/schema.ts';
import { resource } from '#shared/platform/resource.ts';
import { optional, readOnly, required } from '#shared/platform/wire/field.ts';
import { type Entries, Id, nullable, object, type Schema, Timestamp, text } from '#shared/platform/wire/schema.ts';
import { say } from '#shared/platform/wire/violation.ts';
import { COUNTRIES } from './countries.ts';

export const Country: Schema<string> = v.picklist(
  COUNTRIES,
  say('invalid-country', 'must be an ISO 3166 alpha-2 code'),
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

export const Customer = resource<CustomerDetails>(
  'customers',
  {
    id: readOnly(Id),
    name: required(text()),
    email: optional(nullable(text()), null),
    tax_id: optional(nullable(text()), null),
    address: optional(nullable(object(lines) as Schema<Address>), null),
    metadata: optional(Metadata, {}, { onPatch: MetadataPatch }),
    created_at: readOnly(Timestamp),
    updated_at: readOnly(Timestamp),
  },
  { filters: ['email'] },
);
