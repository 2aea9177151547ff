import { Customer } from '#shared/invoicing/customers/resource.ts';
import {
  amountDue,
  DEFAULT_CURRENCY,
  INVOICE_STATUSES,
  type InvoiceReplacement,
  type InvoiceTerms,
  type Invoice as Stored,
} from '#shared/invoicing/invoices/rules.ts';
import { Metadata, MetadataPatch } from '#shared/invoicing/metadata/schema.ts';
import { resource } from '#shared/platform/resource.ts';
import { derived, optional, readOnly } from '#shared/platform/wire/field.ts';
import { CalendarDate, Currency, cents, Id, nullable, oneOf, Timestamp, text } from '#shared/platform/wire/schema.ts';

export const Invoice = resource<InvoiceTerms, InvoiceReplacement>(
  'invoices',
  {
    id: readOnly(Id),
    status: optional(oneOf(INVOICE_STATUSES), 'open', { onCreate: oneOf(['draft', 'open']), keeps: true }),
    total_cents: optional(cents(), 0, { keeps: true }),
    currency: optional(Currency, DEFAULT_CURRENCY),
    customer_id: optional(nullable(Id), null),
    due_date: optional(nullable(CalendarDate), null),
    description: optional(nullable(text()), null),
    metadata: optional(Metadata, {}, { onPatch: MetadataPatch }),
    amount_paid_cents: readOnly(cents()),
    amount_due_cents: derived<Stored, 'status' | 'total_cents' | 'amount_paid_cents', number>(
      cents(),
      ['status', 'total_cents', 'amount_paid_cents'],
      amountDue,
    ),
    paid_at: readOnly(nullable(Timestamp)),
    canceled_at: readOnly(nullable(Timestamp)),
    created_at: readOnly(Timestamp),
    updated_at: readOnly(Timestamp),
  },
  { filters: ['status', 'customer_id'], relations: { customer: { via: 'customer_id', resource: Customer } } },
);
