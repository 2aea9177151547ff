import * as v from 'valibot';
import { externalId } from '#shared/invoicing/external-id.ts';
import { resources } from '#shared/invoicing/index.ts';
import {
  PAYMENT_METHODS,
  PAYMENT_STATUSES,
  type PaymentTerms,
  paymentStatus,
  type Payment as Stored,
} from '#shared/invoicing/payments/rules.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import type { Body } from '#shared/platform/wire/body.ts';
import { derivedFrom, money, optional, readOnly, required } from '#shared/platform/wire/field.ts';
import {
  Currency,
  cents,
  Id,
  nullable,
  object,
  oneOf,
  type Schema,
  Timestamp,
  text,
} from '#shared/platform/wire/schema.ts';

export const Payment = resource<PaymentTerms>(resources.payments, {
  invoice_id: required(Id, 'The invoice to pay. Its status must be `open`.'),
  amount_cents: money(required(cents(1), 'The amount, in minor units: at most the amount due of the invoice.')),
  method: optional(oneOf('PaymentMethod', PAYMENT_METHODS), 'other', 'The payment method.'),
  reference: optional(nullable(text()), null, 'Your own reference, such as the number of a bank transfer.'),
  external_id: externalId,
  currency: readOnly(Currency, 'The currency of the invoice.'),
  status: derivedFrom<Stored>()(
    oneOf('PaymentStatus', PAYMENT_STATUSES),
    ['amount_cents', 'amount_refunded_cents', 'voided_at'],
    paymentStatus,
    'Whether none, some or all of the amount has been refunded, or the payment was `voided`.',
  ),
  amount_refunded_cents: money(readOnly(cents(), 'The sum of the refunds of this payment.')),
  voided_at: readOnly(nullable(Timestamp), 'When the payment was voided, or null.'),
  void_reason: readOnly(nullable(text()), 'Why it was voided, or null.'),
});

const voiding = object({ reason: v.optional(nullable(text()), null) }) as Schema<{ reason: string | null }>;

/** The body of `POST …/void`. */
export const Voiding: Body<{ reason: string | null }> = { v1: voiding, v2: voiding };
