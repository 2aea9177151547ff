import type { StoresOf } from '#shared/invoicing/declarations.ts';
import { ISSUE_USES, issueInvoice, readReferences } from '#shared/invoicing/invoices/issue.ts';
import { amountSettled, changeInvoice, type Invoice } from '#shared/invoicing/invoices/rules.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import type { Input } from '#shared/platform/http/endpoint.ts';

export const INVOICE_CHANGE_USES = {
  ...ISSUE_USES,
  invoices: ['get', 'replace'],
  customers: [...ISSUE_USES.customers, 'check'],
} as const;

/** The refusals of both endpoints. */
export const INVOICE_CHANGE_REFUSALS = [
  'invalid-transition',
  'invoice-closed',
  'invoice-issued',
  'total-below-paid',
  'currency-locked',
  'series-closed',
  'issue-date-out-of-order',
] as const;

/**
 * Decides PATCH or PUT, which differ in the invoice that the body requests. A customer or series that does not exist
 * precedes every other refusal, and the policy precedes `If-Match` (§5). The commit checks the customer, so this function
 * reads the customer of an invoice that gets no number only before another refusal.
 */
export const decideChange = async (
  before: Invoice,
  requested: Invoice,
  { permit, checkPreconditions, now }: Pick<Input, 'permit' | 'checkPreconditions' | 'now'>,
  stores: StoresOf<typeof INVOICE_CHANGE_USES>,
): Promise<{ readonly invoice: Invoice; readonly writes: readonly Write[] }> => {
  const { invoices, customers } = stores;
  const [from, to] = [before.customer_id, requested.customer_id];
  const references = await readReferences(before, requested, stores);
  try {
    permit({ action: 'invoice.settle', resource: { amount_cents: amountSettled(before, requested) } });
    checkPreconditions(before);
    const changed = changeInvoice(before, requested, now);
    const { invoice, writes } = issueInvoice(before, changed, references, now, stores);
    const isIssued = invoice !== changed;
    const { customer } = references;
    const checks = isIssued && customer && from === to ? customers.check(customer) : [];
    return { invoice, writes: [...invoices.replace(before, invoice), ...writes, ...checks] };
  } catch (error) {
    if (to !== null && to !== from) await customers.getReferenced('customer_id', to);
    throw error;
  }
};
