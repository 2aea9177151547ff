import { resources } from '#shared/invoicing/index.ts';
import {
  type InvoiceItemTerms,
  itemAmount,
  type InvoiceItem as Stored,
} from '#shared/invoicing/invoice-items/rules.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { derivedFrom, money, optional, required } from '#shared/platform/wire/field.ts';
import { cents, Id, integer, text } from '#shared/platform/wire/schema.ts';

const MAX_QUANTITY = 1_000_000;

export const InvoiceItem = resource<Omit<InvoiceItemTerms, 'currency'>>(resources.invoiceItems, {
  invoice_id: required(Id, 'The invoice of the item. It cannot change.'),
  description: required(text(), 'What the item charges for.'),
  quantity: optional(integer(1, MAX_QUANTITY), 1, 'The number of units.'),
  unit_amount_cents: money(required(cents(), 'The price of one unit, in minor units.')),
  amount_cents: money(
    derivedFrom<Stored>()(
      cents(),
      ['quantity', 'unit_amount_cents'],
      itemAmount,
      'The quantity times the price of one unit.',
    ),
  ),
});
