import { INVOICE_COUNT } from '#shared/invoicing/customers/rules.ts';
import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { amountSettled, changeInvoice, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { Input } from '#shared/platform/http/endpoint.ts';

export const INVOICE_CHANGE_USES = { invoices: ['get', 'replace'], customers: ['getReferenced', 'moveCount'] } as const;

/**
 * Decides PATCH or PUT, which differ in the invoice that the body requests. A customer that does not exist precedes
 * every other refusal, and the policy precedes `If-Match` (§5). The commit checks the customer, so this function reads
 * the customer only before another refusal.
 */
export const decideChange = async (
  before: Invoice,
  requested: Invoice,
  { permit, checkPreconditions, now }: Pick<Input, 'permit' | 'checkPreconditions' | 'now'>,
  { invoices, customers }: StoresOf<typeof INVOICE_CHANGE_USES>,
): Promise<{ readonly invoice: Invoice; readonly writes: readonly Write[] }> => {
  const [from, to] = [before.customer_id, requested.customer_id];
  try {
    permit({ action: 'invoice.settle', resource: { amount_cents: amountSettled(before, requested) } });
    checkPreconditions(before);
    const invoice = changeInvoice(before, requested, now);
    const countWrites = customers.moveCount(INVOICE_COUNT, { from, to, field: 'customer_id' });
    return { invoice, writes: [...invoices.replace(before, invoice), ...countWrites] };
  } catch (error) {
    if (to !== null && to !== from) await customers.getReferenced('customer_id', to);
    throw error;
  }
};
