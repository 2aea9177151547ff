import type { CreditNote } from '#shared/invoicing/credit-notes/rules.ts';
import type { Customer } from '#shared/invoicing/customers/rules.ts';
import { type Export, hasFile } from '#shared/invoicing/exports/rules.ts';
import { lineAmount, subtotal, taxBreakdown, taxTotal } from '#shared/invoicing/invoice-items/lines.ts';
import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import { amountDue, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { NumberSeries } from '#shared/invoicing/number-series/rules.ts';
import { type Payment, paymentStatus } from '#shared/invoicing/payments/rules.ts';
import type { Refund } from '#shared/invoicing/refunds/rules.ts';
import type { WebhookDelivery } from '#shared/invoicing/webhook-deliveries/rules.ts';
import { currentSecret, HIDDEN, type WebhookEndpoint } from '#shared/invoicing/webhook-endpoints/rules.ts';
import type { EventDeclaration } from '#shared/platform/commit/change.ts';
import type { ResourceEntry } from '#shared/platform/declarations/resource.ts';
import type { EventRow } from '#shared/platform/events/event.ts';
import type { ResourceName } from '#shared/vocabulary.ts';
import { type Irregular, type Names, named } from './naming.ts';

export interface Rows {
  readonly customers: Customer;
  readonly invoices: Invoice;
  readonly invoiceItems: InvoiceItem;
  readonly payments: Payment;
  readonly refunds: Refund;
  readonly creditNotes: CreditNote;
  readonly exports: Export;
  readonly webhookEndpoints: WebhookEndpoint;
  readonly webhookDeliveries: WebhookDelivery;
  readonly numberSeries: NumberSeries;
  readonly events: EventRow;
}

interface Entry<Row> extends Omit<ResourceEntry, keyof Names<string> | 'filters'>, Irregular {
  /** The least role that may write it (CONTRACT §2); absent if no request writes it. */
  readonly writer?: 'clerk' | 'accountant' | 'admin';
  readonly events?: EventDeclaration<Row>;
  /** The resource whose id a field has, if it has one; the audit looks for a member that is missing. */
  readonly references?: { readonly [Field in keyof Row]?: ResourceName };
  readonly storedBefore?: Partial<Row>;
}

/**
 * Tables, stores, scopes and export types derive from this list. The fields of a resource are in its own module, so that
 * a function loads only the fields that it shows or writes.
 */
export const resources = named({
  customers: {
    writer: 'clerk',
    indexes: [['email']],
    isIndexed: true,
    isExported: true,
    unique: ['external_id'],
    lookups: ['external_id'],
    isReadByIds: true,
    events: { hidden: ['invoice_count', 'invoice_count_changes'] },
  },
  invoices: {
    writer: 'clerk',
    indexes: [['status'], ['customer_id'], ['customer_id', 'status'], ['number']],
    unexportedFilters: ['number'],
    sorts: [{ by: 'due_date', filters: ['status'], from: 'due_from', before: 'due_before' }],
    isIndexed: true,
    isExported: true,
    unique: ['external_id'],
    lookups: ['external_id'],
    isReadByIds: true,
    references: { customer_id: 'customers', series_id: 'numberSeries' },
    events: {
      statuses: { open: 'opened', 'paid>open': 'reopened', paid: 'paid', canceled: 'canceled' },
      computed: {
        amount_due_cents: amountDue,
        subtotal_cents: subtotal,
        tax_cents: taxTotal,
        tax_breakdown: taxBreakdown,
      },
      hidden: ['item_ids', 'payment_count', 'tax_sums'],
    },
  },
  invoiceItems: {
    scope: 'invoices',
    writer: 'clerk',
    indexes: [['invoice_id']],
    references: { invoice_id: 'invoices' },
    // Items have no page index: the transaction that deletes an invoice deletes up to 90 items, and 100 actions are the
    // limit.
    events: { computed: { amount_cents: lineAmount } },
  },
  payments: {
    writer: 'clerk',
    indexes: [['invoice_id']],
    isIndexed: true,
    isExported: true,
    unique: ['external_id'],
    lookups: ['external_id'],
    isReadByIds: true,
    references: { invoice_id: 'invoices' },
    events: {
      statuses: { partially_refunded: 'partially_refunded', refunded: 'refunded', voided: 'voided' },
      computed: { status: paymentStatus },
      hidden: ['created_by'],
    },
  },
  refunds: {
    writer: 'accountant',
    indexes: [['payment_id']],
    isIndexed: true,
    isExported: true,
    unique: ['external_id'],
    lookups: ['external_id'],
    isReadByIds: true,
    references: { payment_id: 'payments', invoice_id: 'invoices' },
    events: {},
  },
  creditNotes: {
    writer: 'accountant',
    indexes: [['invoice_id'], ['number']],
    unexportedFilters: ['number'],
    isIndexed: true,
    isExported: true,
    unique: ['external_id'],
    lookups: ['external_id'],
    isReadByIds: true,
    references: { invoice_id: 'invoices', series_id: 'numberSeries' },
    events: {},
  },
  numberSeries: {
    type: 'number_series',
    writer: 'admin',
    indexes: [['status']],
    isIndexed: true,
    unique: ['prefix'],
    events: { progress: ['last_number', 'last_issue_date'] },
  },
  exports: {
    writer: 'accountant',
    indexes: [['status'], ['type'], ['status', 'type']],
    isIndexed: true,
    due: 'due_at',
    events: {
      statuses: { running: 'running', completed: 'completed', failed: 'failed', canceled: 'canceled' },
      computed: { file_url: hasFile },
      hidden: ['attempt', 'tries', 'reminders', 'lease_until', 'due_at', 'checkpoint', 'columns', 'file_key'],
      progress: ['row_count', 'size_bytes'],
    },
  },
  webhookEndpoints: {
    scope: 'webhooks',
    writer: 'admin',
    indexes: [],
    due: 'due_at',
    events: { computed: { secret: currentSecret }, hidden: HIDDEN },
  },
  webhookDeliveries: {
    type: 'webhook_delivery',
    scope: 'webhooks',
    writer: 'admin',
    indexes: [['webhook_endpoint_id'], ['status'], ['status', 'webhook_endpoint_id']],
    queue: { by: 'queued_at', filters: ['webhook_endpoint_id'] },
    expiry: 'expires_at',
  },
  events: {
    indexes: [['type'], ['resource_id'], ['resource_id', 'type']],
    isIndexed: true,
  },
} as const satisfies { readonly [Name in ResourceName]: Entry<Rows[Name]> });

type Entries = typeof resources;

type ExportedEntry = Extract<Entries[ResourceName], { readonly isExported: true }>;

/** The collection that an export contains. */
export type ExportType = ExportedEntry['collection'];

export type EventfulName = {
  [Name in ResourceName]: Entries[Name] extends { readonly events: object } ? Name : never;
}[ResourceName];

export type IndexedName = {
  [Name in ResourceName]: Entries[Name] extends { readonly isIndexed: true } ? Name : never;
}[ResourceName];

/** The exported resources by the type of their exports. */
export const EXPORTED = Object.fromEntries(
  Object.values<ResourceEntry>(resources).flatMap((entry) => (entry.isExported ? [[entry.collection, entry]] : [])),
) as unknown as { readonly [Type in ExportType]: Extract<ExportedEntry, { readonly collection: Type }> };

export const EXPORT_TYPES = Object.keys(EXPORTED) as ExportType[];

/** The entry of the resource that an export contains. `type` was checked when the export was stored. */
export const exportedEntry = (type: string): ExportedEntry => EXPORTED[type as ExportType];
