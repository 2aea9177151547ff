import { Customer } from '#shared/invoicing/customers/resource.ts';
import { resources } from '#shared/invoicing/index.ts';
import {
  amountDue,
  DEFAULT_CURRENCY,
  INVOICE_STATUSES,
  type InvoiceReplacement,
  type InvoiceTerms,
  type Invoice as Stored,
} from '#shared/invoicing/invoices/rules.ts';
import { metadata } from '#shared/invoicing/metadata/schema.ts';
import { resource } from '#shared/platform/resource.ts';
import { derived, money, optional, readOnly } from '#shared/platform/wire/field.ts';
import { CalendarDate, Currency, cents, Id, nullable, oneOf, Timestamp, text } from '#shared/platform/wire/schema.ts';

const STATUS =
  '`draft` and `open` can be changed; `open` takes payments; `paid` and `canceled` are closed. ' +
  '`canceled` is reached by `POST …/cancel` alone.';

export const Invoice = resource<InvoiceTerms, InvoiceReplacement>(
  resources.invoices,
  {
    status: optional(oneOf(INVOICE_STATUSES), 'open', STATUS, {
      onCreate: oneOf(['draft', 'open']),
      domainDecidesOnReplace: true,
    }),
    total_cents: money(
      optional(cents(), 0, 'What is charged, in minor units; of an itemized invoice, the sum of its items.', {
        domainDecidesOnReplace: true,
      }),
    ),
    currency: optional(
      Currency,
      DEFAULT_CURRENCY,
      'The ISO 4217 code of all its amounts; fixed once there are payments.',
    ),
    customer_id: optional(nullable(Id), null, 'The customer it is for, or null.'),
    due_date: optional(nullable(CalendarDate), null, 'The day it is due, or null.'),
    description: optional(nullable(text()), null, 'What it is for.'),
    metadata,
    amount_paid_cents: money(readOnly(cents(), 'The sum of its payments, refunded or not.')),
    amount_due_cents: money(
      derived<Stored, 'status' | 'total_cents' | 'amount_paid_cents', number>(
        cents(),
        ['status', 'total_cents', 'amount_paid_cents'],
        amountDue,
        'What is left to pay of a draft or an open invoice; 0 of any other.',
      ),
    ),
    paid_at: readOnly(nullable(Timestamp), 'When it became `paid`, or null.'),
    canceled_at: readOnly(nullable(Timestamp), 'When it was canceled, or null.'),
  },
  {
    relations: {
      customer: {
        meaning: 'The customer, whole; only with `expand=customer`, and null where there is none.',
        via: 'customer_id',
        resource: Customer,
      },
    },
  },
);
