import type { Api, Json } from './in-process-client.ts';
import type { InvoicePlan, PaymentPlan } from './invoice-plan.ts';
import type { CustomerPlan } from './plan.ts';

/** Ids of rows by their name in the plan. */
type IdByName = ReadonlyMap<string, number>;

interface ExistingRows {
  readonly customers: IdByName;
  readonly invoices: IdByName;
  readonly items: IdByName;
  readonly payments: IdByName;
  readonly refunds: IdByName;
}

const CONCURRENT = 8;

const idsBy = (rows: readonly Json[], name: (row: Json) => unknown): IdByName =>
  new Map(rows.map((row) => [String(name(row)), row['id']]));

const demoReference = ({ metadata }: Json): unknown => metadata.demo;
const itemName = (invoiceId: number, description: string) => `${invoiceId} ${description}`;
const refundName = (paymentId: number, reason: string) => `${paymentId} ${reason}`;

const readExistingRows = async (api: Api, invoices: readonly Json[]): Promise<ExistingRows> => {
  const [customers, items, payments, refunds] = await Promise.all([
    api.all('customers', 'id,metadata'),
    api.all('invoice-items', 'id,invoice_id,description'),
    api.all('payments', 'id,reference'),
    api.all('refunds', 'id,payment_id,reason'),
  ]);
  return {
    customers: idsBy(customers, demoReference),
    invoices: idsBy(invoices, demoReference),
    items: idsBy(items, (row) => itemName(row['invoice_id'], row['description'])),
    payments: idsBy(payments, ({ reference }) => reference),
    refunds: idsBy(refunds, (row) => refundName(row['payment_id'], row['reason'])),
  };
};

/** Whether the last invoice of the plan exists. It is created last, and nobody can delete it. */
const isLoaded = (invoices: readonly Json[], plan: readonly CustomerPlan[]): boolean => {
  const last = plan.at(-1)?.invoices.at(-1)?.reference;
  return invoices.some((row) => demoReference(row) === last && row['status'] === 'paid');
};

/**
 * Creates the rows of a plan that the account lacks. It recognizes existing rows by their reference, not by an
 * idempotency key. So an interrupted load can be continued at any later time, and a second load creates no duplicates.
 * @param onStep called after each customer and invoice that exists or was created
 * @param signal stops the load before the next customer or invoice, without an error
 * @returns whether any row was missing
 */
export const load = async (
  api: Api,
  plan: readonly CustomerPlan[],
  onStep: () => void,
  signal: AbortSignal,
): Promise<boolean> => {
  const invoices = await api.all('invoices', 'id,status,metadata');
  if (isLoaded(invoices, plan)) return false;
  const existing = await readExistingRows(api, invoices);
  const queue = plan.slice(0, -1);
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) await loadCustomer(next);
  };
  const loadCustomer = async ({ reference, details, invoices }: CustomerPlan): Promise<void> => {
    const customer_id = existing.customers.get(reference) ?? (await api.post('/customers', details))['id'];
    onStep();
    for (const each of invoices) {
      if (signal.aborted) return;
      await loadInvoice(api, existing, customer_id, each);
      onStep();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  if (!signal.aborted) await loadCustomer(plan.at(-1) as CustomerPlan);
  return true;
};

const loadInvoice = async (api: Api, existing: ExistingRows, customer_id: number, plan: InvoicePlan): Promise<void> => {
  const { reference, terms, items, payments, finally: end } = plan;
  const invoice_id = existing.invoices.get(reference) ?? (await api.post('/invoices', { ...terms, customer_id }))['id'];
  for (const item of items) {
    if (existing.items.has(itemName(invoice_id, item.description))) continue;
    await api.post('/invoice-items', { invoice_id, ...item });
  }
  for (const each of payments) await loadPayment(api, existing, invoice_id, each);
  if (end === 'cancel') await api.post(`/invoices/${invoice_id}/cancel`);
  if (end === 'settle') await api.patch(`/invoices/${invoice_id}`, { status: 'paid' });
};

const loadPayment = async (api: Api, existing: ExistingRows, invoice_id: number, plan: PaymentPlan): Promise<void> => {
  const { refunds, ...terms } = plan;
  const paid = existing.payments.get(String(plan.reference));
  const payment_id = paid ?? (await api.post('/payments', { invoice_id, ...terms }))['id'];
  for (const refund of refunds) {
    if (existing.refunds.has(refundName(payment_id, refund.reason))) continue;
    await api.post('/refunds', { payment_id, ...refund });
  }
};
