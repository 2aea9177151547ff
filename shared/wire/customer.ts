import * as v from 'valibot';
import type { Address, CustomerDetails } from '#shared/domain/customer.ts';
import { optional, readOnly, required } from './field.ts';
import { Metadata, MetadataPatch } from './metadata.ts';
import { resource } from './resource.ts';
import { Country, type Entries, Id, nullable, object, type Schema, Timestamp, text } from './schema.ts';

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
