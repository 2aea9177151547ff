import { resources } from '#shared/invoicing/index.ts';
import {
  type InvoiceItemTerms,
  itemAmount,
  type InvoiceItem as Stored,
} from '#shared/invoicing/invoice-items/rules.ts';
import { resource } from '#shared/platform/resource.ts';
import { derived, money, optional, required } from '#shared/platform/wire/field.ts';
import { cents, Id, integer, text } from '#shared/platform/wire/schema.ts';

const MOST_UNITS = 1_000_000;

export const InvoiceItem = resource<Omit<InvoiceItemTerms, 'currency'>>(resources.items, {
  invoice_id: required(Id, 'The invoice it is an item of; it never changes.'),
  description: required(text(), 'What is charged for.'),
  quantity: optional(integer(1, MOST_UNITS), 1, 'How many units.'),
  unit_amount_cents: money(required(cents(), 'The price of one unit, in minor units.')),
  amount_cents: money(
    derived<Stored, 'quantity' | 'unit_amount_cents', number>(
      cents(),
      ['quantity', 'unit_amount_cents'],
      itemAmount,
      'Quantity times unit amount.',
    ),
  ),
});
