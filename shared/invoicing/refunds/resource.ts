import { resources } from '#shared/invoicing/index.ts';
import type { RefundTerms } from '#shared/invoicing/refunds/rules.ts';
import { resource } from '#shared/platform/resource.ts';
import { money, optional, optionalWithoutDefault, readOnly, required } from '#shared/platform/wire/field.ts';
import { Currency, cents, Id, nullable, text } from '#shared/platform/wire/schema.ts';

export const Refund = resource<Omit<RefundTerms, 'currency' | 'amount_cents'>>(resources.refunds, {
  payment_id: required(Id, 'The payment that is refunded.'),
  amount_cents: money(
    optionalWithoutDefault(
      cents(1),
      'How much goes back, in minor units; left out, all that has not been refunded yet.',
    ),
  ),
  reason: optional(nullable(text()), null, 'Why.'),
  invoice_id: readOnly(Id, 'The invoice that had been paid.'),
  currency: readOnly(Currency, 'The invoice’s currency.'),
});
