import type { Api, Json } from './in-process-client.ts';
import type { InvoicePlan, PaymentPlan } from './invoice-plan.ts';
import type { CustomerPlan } from './plan.ts';

/** Members by what tells them apart in the plan. */
type Known = ReadonlyMap<string, number>;

/** What an account holds already. */
interface Holdings {
  readonly customers: Known;
  readonly invoices: Known;
  readonly items: Known;
  readonly payments: Known;
  readonly refunds: Known;
}

const CONCURRENT = 8;

const by = (rows: readonly Json[], name: (row: Json) => unknown): Known =>
  new Map(rows.map((row) => [String(name(row)), row['id']]));

const demo = ({ metadata }: Json): unknown => metadata.demo;
const itemName = (invoice: number, description: string) => `${invoice} ${description}`;
const refundName = (payment: number, reason: string) => `${payment} ${reason}`;

const holdingsOf = async (api: Api, invoices: readonly Json[]): Promise<Holdings> => {
  const [customers, items, payments, refunds] = await Promise.all([
    api.all('customers', 'id,metadata'),
    api.all('invoice-items', 'id,invoice_id,description'),
    api.all('payments', 'id,reference'),
    api.all('refunds', 'id,payment_id,reason'),
  ]);
  return {
    customers: by(customers, demo),
    invoices: by(invoices, demo),
    items: by(items, (row) => itemName(row['invoice_id'], row['description'])),
    payments: by(payments, ({ reference }) => reference),
    refunds: by(refunds, (row) => refundName(row['payment_id'], row['reason'])),
  };
};

/** Whether the last of the plan is there, which is made after all else, and which nobody can undo. */
const isLoaded = (invoices: readonly Json[], plan: readonly CustomerPlan[]): boolean => {
  const last = plan.at(-1)?.invoices.at(-1)?.reference;
  return invoices.some((row) => demo(row) === last && row['status'] === 'paid');
};

/**
 * Makes what a plan holds and an account does not. What is there is told by its reference, not by an idempotency key,
 * so that a load that was cut short goes on whenever it is asked again, and a second one doubles nothing.
 * @param made is told of each customer and invoice that is there
 * @param signal ends it between two of them, and quietly
 * @returns whether anything was left to make
 * @throws Failure when the service refuses something
 */
export const load = async (
  api: Api,
  plan: readonly CustomerPlan[],
  made: () => void,
  signal: AbortSignal,
): Promise<boolean> => {
  const invoices = await api.all('invoices', 'id,status,metadata');
  if (isLoaded(invoices, plan)) return false;
  const holdings = await holdingsOf(api, invoices);
  const queue = plan.slice(0, -1);
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) await customer(next);
  };
  const customer = async ({ reference, details, invoices }: CustomerPlan): Promise<void> => {
    const customer_id = holdings.customers.get(reference) ?? (await api.post('/customers', details))['id'];
    made();
    for (const one of invoices) {
      if (signal.aborted) return;
      await invoice(api, holdings, customer_id, one);
      made();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  if (!signal.aborted) await customer(plan.at(-1) as CustomerPlan);
  return true;
};

const invoice = async (api: Api, known: Holdings, customer_id: number, plan: InvoicePlan): Promise<void> => {
  const { reference, terms, items, payments, finally: end } = plan;
  const invoice_id = known.invoices.get(reference) ?? (await api.post('/invoices', { ...terms, customer_id }))['id'];
  for (const item of items) {
    if (known.items.has(itemName(invoice_id, item.description))) continue;
    await api.post('/invoice-items', { invoice_id, ...item });
  }
  for (const one of payments) await payment(api, known, invoice_id, one);
  if (end === 'cancel') await api.post(`/invoices/${invoice_id}/cancel`);
  if (end === 'settle') await api.patch(`/invoices/${invoice_id}`, { status: 'paid' });
};

const payment = async (api: Api, known: Holdings, invoice_id: number, plan: PaymentPlan): Promise<void> => {
  const { refunds, ...terms } = plan;
  const paid = known.payments.get(String(plan.reference));
  const payment_id = paid ?? (await api.post('/payments', { invoice_id, ...terms }))['id'];
  for (const refund of refunds) {
    if (known.refunds.has(refundName(payment_id, refund.reason))) continue;
    await api.post('/refunds', { payment_id, ...refund });
  }
};
