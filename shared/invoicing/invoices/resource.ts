import { Customer } from '#shared/invoicing/customers/resource.ts';
import { externalId } from '#shared/invoicing/external-id.ts';
import { resources } from '#shared/invoicing/index.ts';
import { type Line, sumOf } from '#shared/invoicing/invoice-items/lines.ts';
import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { MAX_ITEMS, type NewInvoice } from '#shared/invoicing/invoices/items.ts';
import {
  amountDue,
  DEFAULT_CURRENCY,
  INVOICE_STATUSES,
  type InvoiceReplacement,
  type InvoiceTerms,
  SETTLEMENTS,
  type Invoice as Stored,
} from '#shared/invoicing/invoices/rules.ts';
import { SUM_OF_ITEMS } from '#shared/invoicing/invoices/sum-of-items.ts';
import { taxFields } from '#shared/invoicing/invoices/tax-fields.ts';
import { metadata } from '#shared/invoicing/metadata/schema.ts';
import { numberFields } from '#shared/invoicing/number-series/number-fields.ts';
import { resource } from '#shared/platform/declarations/resource.ts';
import { derivedFrom, money, optional, readOnly } from '#shared/platform/wire/field.ts';
import { CalendarDate, Currency, cents, Id, nullable, oneOf, Timestamp, text } from '#shared/platform/wire/schema.ts';

const STATUS =
  'A `draft` or `open` invoice can be changed. Only an `open` invoice accepts payments. A `paid` or `canceled` invoice ' +
  'is closed: only its `metadata` and `external_id` can change. To cancel an invoice, use `POST …/cancel`.';

export const Invoice = resource<InvoiceTerms, InvoiceReplacement, NewInvoice>(
  resources.invoices,
  {
    status: optional(oneOf('InvoiceStatus', INVOICE_STATUSES), 'open', STATUS, {
      onCreate: oneOf('FirstInvoiceStatus', ['draft', 'open']),
      domainDecidesOnReplace: true,
    }),
    total_cents: money(
      optional(
        cents(),
        0,
        'The total, in minor units. For an invoice with items, the sum of its items and their tax.',
        {
          domainDecidesOnReplace: true,
        },
      ),
    ),
    currency: optional(
      Currency,
      DEFAULT_CURRENCY,
      'The currency of all its amounts (ISO 4217). It cannot change once the invoice has payments, credit notes or items.',
      { domainDecidesOnReplace: true },
    ),
    customer_id: optional(nullable(Id), null, 'The customer, or null.'),
    due_date: optional(nullable(CalendarDate), null, 'The day when the invoice is due, or null.'),
    description: optional(nullable(text()), null, 'Your own text, such as what the invoice is for.'),
    external_id: externalId,
    series_id: optional(
      nullable(Id),
      null,
      'The number series, or null. An `open` invoice with a series is issued: it gets a number, and from then on only its ' +
        '`status`, `due_date`, `metadata` and `external_id` can change.',
      { domainDecidesOnReplace: true },
    ),
    issue_date: optional(
      nullable(CalendarDate),
      null,
      'The date of the invoice, or null. When it is issued without one, it gets the day (UTC), or the last date of its series ' +
        'if that is later.',
      { domainDecidesOnReplace: true },
    ),
    metadata,
    ...numberFields('The customer as it was when the invoice was issued, or null.'),
    ...taxFields,
    amount_paid_cents: money(
      readOnly(cents(), 'The sum of its payments that are not voided. Refunds do not reduce it.'),
    ),
    amount_credited_cents: money(readOnly(cents(), 'The sum of its credit notes.')),
    amount_due_cents: money(
      derivedFrom<Stored>()(
        cents(),
        ['status', 'total_cents', 'amount_paid_cents', 'amount_credited_cents'],
        amountDue,
        'What payments and credit notes leave of the total. 0 for a `paid` or `canceled` invoice.',
      ),
    ),
    settlement: readOnly(
      nullable(oneOf('InvoiceSettlement', SETTLEMENTS)),
      'How a `paid` invoice was settled: `payments` (and credit notes), or `external` (by PATCH or PUT of its `status`); null otherwise.',
    ),
    paid_at: readOnly(nullable(Timestamp), 'When the invoice became `paid`, or null.'),
    canceled_at: readOnly(nullable(Timestamp), 'When the invoice was canceled, or null.'),
  },
  {
    relations: {
      customer: {
        meaning: 'The complete customer. Only with `expand=customer`; null if the invoice has none.',
        via: 'customer_id',
        resources: [Customer],
      },
      items: {
        meaning: 'Its items, oldest first. Only with `expand=items`, and only of a single invoice.',
        via: 'item_ids',
        resources: [InvoiceItem],
        parts: {
          owner: 'invoice_id',
          meaning: 'Items to create together with the invoice. The total is then their sum with tax.',
          max: MAX_ITEMS,
          rule: SUM_OF_ITEMS,
          reads: ['total_cents'],
          isOneState: (invoice: Stored, items: readonly Line[]) =>
            items.length === 0 || sumOf(items).total_cents === invoice.total_cents,
        },
      },
    },
  },
);
