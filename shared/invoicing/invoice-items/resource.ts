import * as v from 'valibot';
import { resources } from '#shared/invoicing/index.ts';
import { lineAmount, PERCENT_DECIMALS, QUANTITY_DECIMALS } from '#shared/invoicing/invoice-items/lines.ts';
import type { InvoiceItemTerms, InvoiceItem as Stored } from '#shared/invoicing/invoice-items/rules.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { derivedFrom, money, optional, required } from '#shared/platform/wire/field.ts';
import { cents, decimal, Id, nullable, type Schema, text } from '#shared/platform/wire/schema.ts';
import { issue } from '#shared/platform/wire/violation.ts';

const MAX_QUANTITY = 1_000_000;

const QUANTITY = { above: 0, max: MAX_QUANTITY, decimals: QUANTITY_DECIMALS };
const PERCENT = { max: 100, decimals: PERCENT_DECIMALS };
export const Quantity = decimal(QUANTITY);
export const TaxPercent = decimal(PERCENT);

const CATEGORY = /^[A-Z0-9]{1,10}$/;

export const TaxCategory: Schema<string> = v.pipe(
  v.string(issue('invalid-type', 'must be a string')),
  v.metadata({ pattern: CATEGORY.source }),
  v.check((value) => CATEGORY.test(value), issue('invalid-category', 'must have 1 to 10 characters of A-Z and 0-9')),
);

export const InvoiceItem = resource<InvoiceItemTerms>(resources.invoiceItems, {
  invoice_id: required(Id, 'The invoice of the item. It cannot change.'),
  description: required(text(), 'What the item charges for.'),
  quantity: optional(Quantity, 1, 'The number of units, with at most 6 decimals.', {
    accepts: decimal(QUANTITY, 'request'),
  }),
  unit_amount_cents: money(required(cents(), 'The price of one unit without tax, in minor units.')),
  discount_cents: money(
    optional(cents(), 0, 'The discount on the item, in minor units: at most the quantity times the price of one unit.'),
  ),
  tax_percent: optional(
    nullable(TaxPercent),
    null,
    'The tax rate in percent, with at most 4 decimals, or null for no tax.',
    { accepts: nullable(decimal(PERCENT, 'request')) },
  ),
  tax_category: optional(
    nullable(TaxCategory),
    null,
    'Your own code for the kind of tax, such as `S` or `Z` of EN 16931, or null. It separates entries of the breakdown.',
  ),
  amount_cents: money(
    derivedFrom<Stored>()(
      cents(),
      ['quantity', 'unit_amount_cents', 'discount_cents'],
      lineAmount,
      'The quantity times the price of one unit, rounded half away from zero, minus the discount; without tax.',
    ),
  ),
});
