import { type Customer, INVOICE_COUNT, toBillTo } from '#shared/invoicing/customers/rules.ts';
import type { StoresOf } from '#shared/invoicing/declarations.ts';
import type { Invoice } from '#shared/invoicing/invoices/rules.ts';
import { type NumberSeries, takeNumber } from '#shared/invoicing/number-series/rules.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import { waitForAll } from '#shared/platform/jobs/turns.ts';

export const ISSUE_USES = {
  numberSeries: ['getReferenced', 'replace'],
  customers: ['getReferenced', 'moveCount'],
} as const;

type IssueStores = StoresOf<typeof ISSUE_USES>;

/** The members that an invoice names, as far as its rules need them. */
export interface References {
  readonly series: NumberSeries | undefined;
  readonly customer: Customer | undefined;
}

/** Whether an invoice gets a number when it is stored (CONTRACT §4 Numbers and issued invoices). */
const isToBeIssued = ({ series_id, number, status }: Invoice): boolean =>
  series_id !== null && number === null && (status === 'open' || status === 'paid');

/**
 * Reads the series of an invoice that is to be issued or names another series, and the customer of an invoice that is to be
 * issued, at the same time.
 * @param before absent for a new invoice
 * @throws ProblemError `not-found`
 */
export const readReferences = async (
  before: Invoice | undefined,
  requested: Invoice,
  { customers, numberSeries }: IssueStores,
): Promise<References> => {
  const { series_id, customer_id } = requested;
  if (series_id === null) return { series: undefined, customer: undefined };
  const isIssued = isToBeIssued(requested);
  const [customer, series] = await waitForAll([
    isIssued && customer_id !== null ? customers.getReferenced('customer_id', customer_id) : undefined,
    isIssued || before?.series_id !== series_id ? numberSeries.getReferenced('series_id', series_id) : undefined,
  ]);
  return { series, customer };
};

/**
 * Gives an invoice its number if it is to be issued. If its customer changes, the writes count it for the new one. The
 * conditions hold for the versions that were read: after another request that takes a number, or changes the customer, the
 * handler runs again.
 * @param before absent for a new invoice
 */
export const issueInvoice = (
  before: Invoice | undefined,
  invoice: Invoice,
  { series, customer }: References,
  at: string,
  { customers, numberSeries }: IssueStores,
): { readonly invoice: Invoice; readonly writes: readonly Write[] } => {
  const move = { from: before?.customer_id ?? null, to: invoice.customer_id, field: 'customer_id' };
  if (!series || !isToBeIssued(invoice)) return { invoice, writes: customers.moveCount(INVOICE_COUNT, move) };
  const taken = takeNumber(series, invoice.issue_date, at);
  return {
    invoice: { ...invoice, ...taken.fields, bill_to: customer ? toBillTo(customer) : null },
    writes: [
      ...customers.moveCount(INVOICE_COUNT, { ...move, version: customer?.version }),
      ...numberSeries.replace(series, taken.series),
    ],
  };
};
