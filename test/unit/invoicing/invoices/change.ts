import {
  changeInvoice,
  type Invoice,
  type InvoiceReplacement,
  type InvoiceTerms,
  replacedInvoice,
} from '#shared/invoicing/invoices/rules.ts';
import { applyMergePatch, type MergePatch } from '#shared/platform/entity.ts';

export const patchInvoice = (before: Invoice, patch: MergePatch<InvoiceTerms>, at: string): Invoice =>
  changeInvoice(before, applyMergePatch(before, patch), at);

export const replaceInvoice = (before: Invoice, terms: InvoiceReplacement, at: string): Invoice =>
  changeInvoice(before, replacedInvoice(before, terms), at);
