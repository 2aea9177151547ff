import {
  PAYMENT_METHODS,
  PAYMENT_STATUSES,
  type PaymentTerms,
  paymentStatus,
  type Payment as Stored,
} from '#shared/invoicing/payments/rules.ts';
import { resource } from '#shared/platform/resource.ts';
import { derived, optional, readOnly, required } from '#shared/platform/wire/field.ts';
import { Currency, cents, Id, nullable, oneOf, Timestamp, text } from '#shared/platform/wire/schema.ts';

export const Payment = resource<Omit<PaymentTerms, 'currency'>>(
  'payments',
  {
    id: readOnly(Id),
    invoice_id: required(Id),
    amount_cents: required(cents(1)),
    method: optional(oneOf(PAYMENT_METHODS), 'other'),
    reference: optional(nullable(text()), null),
    currency: readOnly(Currency),
    status: derived<Stored, 'amount_cents' | 'amount_refunded_cents', (typeof PAYMENT_STATUSES)[number]>(
      oneOf(PAYMENT_STATUSES),
      ['amount_cents', 'amount_refunded_cents'],
      paymentStatus,
    ),
    amount_refunded_cents: readOnly(cents()),
    created_at: readOnly(Timestamp),
    updated_at: readOnly(Timestamp),
  },
  { filters: ['invoice_id'] },
);
