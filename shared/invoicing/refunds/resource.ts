import type { RefundTerms } from '#shared/invoicing/refunds/rules.ts';
import { resource } from '#shared/platform/resource.ts';
import { omissible, optional, readOnly, required } from '#shared/platform/wire/field.ts';
import { Currency, cents, Id, nullable, Timestamp, text } from '#shared/platform/wire/schema.ts';

export const Refund = resource<Omit<RefundTerms, 'currency' | 'amount_cents'>>(
  'refunds',
  {
    id: readOnly(Id),
    payment_id: required(Id),
    amount_cents: omissible(cents(1)),
    reason: optional(nullable(text()), null),
    invoice_id: readOnly(Id),
    currency: readOnly(Currency),
    created_at: readOnly(Timestamp),
    updated_at: readOnly(Timestamp),
  },
  { filters: ['payment_id'] },
);
