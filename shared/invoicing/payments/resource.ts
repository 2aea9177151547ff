import { resources } from '#shared/invoicing/index.ts';
import {
  PAYMENT_METHODS,
  PAYMENT_STATUSES,
  type PaymentTerms,
  paymentStatus,
  type Payment as Stored,
} from '#shared/invoicing/payments/rules.ts';
import { resource } from '#shared/platform/resource.ts';
import { derived, money, optional, readOnly, required } from '#shared/platform/wire/field.ts';
import { Currency, cents, Id, nullable, oneOf, text } from '#shared/platform/wire/schema.ts';

export const Payment = resource<Omit<PaymentTerms, 'currency'>>(resources.payments, {
  invoice_id: required(Id, 'The invoice that is paid: an `open` one.'),
  amount_cents: money(required(cents(1), 'How much is paid, in minor units: at most what is due.')),
  method: optional(oneOf(PAYMENT_METHODS), 'other', 'How it was paid.'),
  reference: optional(nullable(text()), null, 'Your own reference, such as a bank’s.'),
  currency: readOnly(Currency, 'The invoice’s currency.'),
  status: derived<Stored, 'amount_cents' | 'amount_refunded_cents', (typeof PAYMENT_STATUSES)[number]>(
    oneOf(PAYMENT_STATUSES),
    ['amount_cents', 'amount_refunded_cents'],
    paymentStatus,
    'Whether some or all of it has been refunded.',
  ),
  amount_refunded_cents: money(readOnly(cents(), 'The sum of its refunds.')),
});
