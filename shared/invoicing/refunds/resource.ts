import { externalId } from '#shared/invoicing/external-id.ts';
import { resources } from '#shared/invoicing/index.ts';
import type { RefundTerms } from '#shared/invoicing/refunds/rules.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { money, optional, optionalWithoutDefault, readOnly, required } from '#shared/platform/wire/field.ts';
import { Currency, cents, Id, nullable, text } from '#shared/platform/wire/schema.ts';

export const Refund = resource<Omit<RefundTerms, 'amount_cents'>>(resources.refunds, {
  payment_id: required(Id, 'The payment to refund.'),
  amount_cents: money(
    optionalWithoutDefault(cents(1), 'The amount, in minor units. Default: all that is not refunded yet.'),
  ),
  reason: optional(nullable(text()), null, 'The reason for the refund.'),
  external_id: externalId,
  invoice_id: readOnly(Id, 'The invoice of the payment.'),
  currency: readOnly(Currency, 'The currency of the payment.'),
});
