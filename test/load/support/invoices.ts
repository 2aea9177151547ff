import { createInvoice, DEFAULT_TERMS, type Invoice } from '#shared/invoicing/invoices/rules.ts';

const TERMS = { total_cents: 1250, due_date: '2026-12-24', description: 'Analytical engine, one day of work' };

/** The stored row of an open invoice. */
export const invoiceRow = (id: number, at: string): Invoice =>
  createInvoice({ ...DEFAULT_TERMS, ...TERMS }, { id, at });
