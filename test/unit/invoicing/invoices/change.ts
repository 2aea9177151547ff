import {
  changeInvoice,
  type Invoice,
  type InvoiceReplacement,
  type InvoiceTerms,
  patchedInvoice,
  replacedInvoice,
} from '#shared/invoicing/invoices/rules.ts';
import type { MergePatch } from '#shared/platform/entity.ts';

export const patchInvoice = (before: Invoice, patch: MergePatch<InvoiceTerms>, at: string): Invoice =>
  changeInvoice(before, patchedInvoice(before, patch), at);

export const replaceInvoice = (before: Invoice, terms: InvoiceReplacement, at: string): Invoice =>
  changeInvoice(before, replacedInvoice(before, terms), at);
