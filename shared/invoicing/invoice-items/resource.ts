import {
  type InvoiceItemTerms,
  itemAmount,
  type InvoiceItem as Stored,
} from '#shared/invoicing/invoice-items/rules.ts';
import { resource } from '#shared/platform/resource.ts';
import { derived, optional, readOnly, required } from '#shared/platform/wire/field.ts';
import { cents, Id, integer, Timestamp, text } from '#shared/platform/wire/schema.ts';

const MOST_UNITS = 1_000_000;

export const InvoiceItem = resource<Omit<InvoiceItemTerms, 'currency'>>(
  'invoice-items',
  {
    id: readOnly(Id),
    invoice_id: required(Id),
    description: required(text()),
    quantity: optional(integer(1, MOST_UNITS), 1),
    unit_amount_cents: required(cents()),
    amount_cents: derived<Stored, 'quantity' | 'unit_amount_cents', number>(
      cents(),
      ['quantity', 'unit_amount_cents'],
      itemAmount,
    ),
    created_at: readOnly(Timestamp),
    updated_at: readOnly(Timestamp),
  },
  { filters: ['invoice_id'] },
);
