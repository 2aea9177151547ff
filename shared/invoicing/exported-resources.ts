import { CreditNote } from '#shared/invoicing/credit-notes/resource.ts';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { Payment } from '#shared/invoicing/payments/resource.ts';
import { Refund } from '#shared/invoicing/refunds/resource.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import type { ExportType } from './index.ts';

/** The resource of each type. The lines of a file are its v1 form under every version (CONTRACT §9). */
export const EXPORTED_RESOURCES: Readonly<Record<ExportType, Resource>> = {
  customers: Customer,
  invoices: Invoice,
  payments: Payment,
  refunds: Refund,
  'credit-notes': CreditNote,
};

/** The resource of a type that was checked when the export was stored. */
export const exportedResource = (type: string): Resource => EXPORTED_RESOURCES[type as ExportType];
