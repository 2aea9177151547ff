import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { amountSettled, changeInvoice, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { Input } from '#shared/platform/endpoint.ts';

export const USES = { invoices: ['get', 'replace'], customers: ['moveCount'] } as const;

/**
 * Decides PATCH or PUT, which differ in the invoice that the body requests. The policy precedes `If-Match` (§5).
 */
export const decideChange = (
  before: Invoice,
  requested: Invoice,
  { permit, checkIfMatch, now }: Pick<Input, 'permit' | 'checkIfMatch' | 'now'>,
  { invoices, customers }: StoresOf<typeof USES>,
): { readonly invoice: Invoice; readonly writes: readonly Write[] } => {
  permit({ action: 'invoice.settle', resource: { amount_cents: amountSettled(before, requested) } });
  checkIfMatch(before);
  const invoice = changeInvoice(before, requested, now);
  const [from, to] = [before.customer_id, invoice.customer_id];
  const countWrites = customers.moveCount('invoice_count', { from, to, field: 'customer_id' });
  return { invoice, writes: [...invoices.replace(before, invoice), ...countWrites] };
};
