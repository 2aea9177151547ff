import { CreditNote } from '#shared/invoicing/credit-notes/resource.ts';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { Export } from '#shared/invoicing/exports/resource.ts';
import { InvoiceItem } from '#shared/invoicing/invoice-items/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { NumberSeries } from '#shared/invoicing/number-series/resource.ts';
import { Payment } from '#shared/invoicing/payments/resource.ts';
import { Refund } from '#shared/invoicing/refunds/resource.ts';
import { WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/resource.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { EventfulName } from './index.ts';

/** The resources whose changes become events: `expand=resource` embeds them. */
export const SUBJECTS: Readonly<Record<EventfulName, Resource>> = {
  customers: Customer,
  invoices: Invoice,
  invoiceItems: InvoiceItem,
  payments: Payment,
  refunds: Refund,
  creditNotes: CreditNote,
  numberSeries: NumberSeries,
  exports: Export,
  webhookEndpoints: WebhookEndpoint,
};
