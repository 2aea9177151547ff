import type { Customer } from '#shared/invoicing/customers/rules.ts';
import type { Export } from '#shared/invoicing/exports/rules.ts';
import type { InvoiceItem } from '#shared/invoicing/invoice-items/rules.ts';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Payment } from '#shared/invoicing/payments/rules.ts';
import type { Refund } from '#shared/invoicing/refunds/rules.ts';
import type { ResourceEntry } from '#shared/platform/resource.ts';

export interface Rows {
  readonly customers: Customer;
  readonly invoices: Invoice;
  readonly items: InvoiceItem;
  readonly payments: Payment;
  readonly refunds: Refund;
  readonly exports: Export;
}

interface Entry extends ResourceEntry {
  /** The least role that may write it (CONTRACT §2). */
  readonly writer: 'clerk' | 'accountant';
}

/**
 * Tables, stores, scopes and export types derive from this list. The fields of a resource are in its own module, so that
 * an endpoint loads only the fields of its own resource.
 */
export const resources = {
  customers: {
    table: 'customers',
    variable: 'CUSTOMERS_TABLE',
    collection: 'customers',
    noun: 'customer',
    scope: 'customers',
    writer: 'clerk',
    filters: ['email'],
    isExported: true,
  },
  invoices: {
    table: 'invoices',
    variable: 'INVOICES_TABLE',
    collection: 'invoices',
    noun: 'invoice',
    scope: 'invoices',
    writer: 'clerk',
    filters: ['status', 'customer_id'],
    isExported: true,
  },
  items: {
    table: 'items',
    variable: 'ITEMS_TABLE',
    collection: 'invoice-items',
    noun: 'invoice item',
    scope: 'invoices',
    writer: 'clerk',
    filters: ['invoice_id'],
  },
  payments: {
    table: 'payments',
    variable: 'PAYMENTS_TABLE',
    collection: 'payments',
    noun: 'payment',
    scope: 'payments',
    writer: 'clerk',
    filters: ['invoice_id'],
    isExported: true,
  },
  refunds: {
    table: 'refunds',
    variable: 'REFUNDS_TABLE',
    collection: 'refunds',
    noun: 'refund',
    scope: 'refunds',
    writer: 'accountant',
    filters: ['payment_id'],
    isExported: true,
  },
  exports: {
    table: 'exports',
    variable: 'EXPORTS_TABLE',
    collection: 'exports',
    noun: 'export',
    scope: 'exports',
    writer: 'accountant',
    filters: ['status', 'type'],
    due: 'due_at',
  },
} as const satisfies { readonly [Name in keyof Rows]: Entry & { readonly table: Name } };

type Entries = typeof resources;
export type ResourceName = keyof Entries;

/** The part of a scope before the colon. */
export type Noun = Entries[ResourceName]['scope'];

export type ExportType = {
  [Name in ResourceName]: Entries[Name] extends { readonly isExported: true } ? Name : never;
}[ResourceName];

export const EXPORT_TYPES = Object.values<ResourceEntry>(resources).flatMap(({ isExported, table }) =>
  isExported ? [table as ExportType] : [],
);
