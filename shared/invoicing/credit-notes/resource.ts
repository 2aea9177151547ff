import { type CreditNoteTerms, refundable, type CreditNote as Stored } from '#shared/invoicing/credit-notes/rules.ts';
import { externalId } from '#shared/invoicing/external-id.ts';
import { resources } from '#shared/invoicing/index.ts';
import { metadata } from '#shared/invoicing/metadata/schema.ts';
import { numberFields } from '#shared/invoicing/number-series/number-fields.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import {
  derivedFrom,
  money,
  optional,
  optionalWithoutDefault,
  readOnly,
  required,
} from '#shared/platform/wire/field.ts';
import { CalendarDate, Currency, cents, Id, nullable, text } from '#shared/platform/wire/schema.ts';

export const CreditNote = resource<Omit<CreditNoteTerms, 'amount_cents'>>(resources.creditNotes, {
  invoice_id: required(Id, 'The invoice to credit. Its status must be `open` or `paid`.'),
  amount_cents: money(
    optionalWithoutDefault(
      cents(1),
      'The amount, in minor units. Default and maximum: the part of the total of the invoice that is not credited yet.',
    ),
  ),
  reason: optional(nullable(text()), null, 'The reason for the credit note.'),
  external_id: externalId,
  series_id: optional(nullable(Id), null, 'The number series that gives it a number, or null.'),
  issue_date: optional(
    nullable(CalendarDate),
    null,
    'The date of the credit note, or null. With a number, its default is the day (UTC), or the last date of its series if ' +
      'that is later.',
  ),
  metadata,
  currency: readOnly(Currency, 'The currency of the invoice.'),
  ...numberFields('The customer as on the invoice, otherwise as it was when this number was assigned; or null.'),
  applied_cents: money(readOnly(cents(), 'The part of the amount that reduced what was due of the invoice.')),
  refundable_cents: money(
    derivedFrom<Stored>()(
      cents(),
      ['amount_cents', 'applied_cents'],
      refundable,
      'The rest of the amount. Its money goes back to the customer by refunds of the payments of the invoice.',
    ),
  ),
});
