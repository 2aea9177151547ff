import type { Handle } from '#local/gateway/handle.ts';
import { type AnyJson, type Api, inProcessClient } from './client.ts';
import { BUSINESSES } from './data.ts';
import { type CustomerPlan, type InvoicePlan, planOf } from './plan.ts';

type Collection = 'customers' | 'invoices' | 'payments' | 'refunds' | 'credit-notes';

/**
 * Loads the demo accounts through the handlers of the endpoints.
 * @param signal stops the load before the next invoice, without an error
 * @returns whether any row was missing
 */
export const loadDemo = async (
  handle: Handle,
  tokenOf: (account: string) => Promise<string>,
  signal: AbortSignal,
): Promise<boolean> => {
  const today = new Date();
  const loads = BUSINESSES.map(async (business) =>
    load(inProcessClient(handle, await tokenOf(business.account)), planOf(business, today), signal),
  );
  return (await Promise.all(loads)).some(Boolean);
};

/**
 * Creates the rows of a plan that the account lacks. It recognizes existing rows by their `external_id`, not by
 * an idempotency key, so it can continue at any later time. It creates the last invoice last, which then stays: with this
 * invoice, the account is complete.
 */
const load = async (api: Api, plan: readonly CustomerPlan[], signal: AbortSignal): Promise<boolean> => {
  const invoices = await api.all('invoices', 'id,status,external_id');
  const last = plan.at(-1)?.invoices.at(-1)?.terms.external_id;
  if (invoices.some(({ external_id, status }) => external_id === last && status === 'paid')) return false;
  const ids = new Map<string, number>();
  const keyOf = (name: Collection, { external_id }: AnyJson) => `${name} ${external_id}`;
  for (const row of invoices) ids.set(keyOf('invoices', row), row['id']);
  for (const name of ['customers', 'payments', 'refunds', 'credit-notes'] as const)
    for (const row of await api.all(name, 'id,external_id')) ids.set(keyOf(name, row), row['id']);
  const series_id = await ensureSeries(api);
  const ensure = async (name: Collection, body: AnyJson): Promise<number> =>
    ids.get(keyOf(name, body)) ?? (await api.post(`/${name}`, body))['id'];
  const loadInvoice = async (customer_id: number, { terms, payments, refund, creditNote, end }: InvoicePlan) => {
    const invoice_id = await ensure('invoices', { ...terms, customer_id, series_id });
    let payment_id = 0;
    for (const payment of payments) payment_id = await ensure('payments', { invoice_id, ...payment });
    if (refund) await ensure('refunds', { payment_id, ...refund });
    if (creditNote) await ensure('credit-notes', { invoice_id, series_id, ...creditNote });
    if (end === 'cancel') await api.post(`/invoices/${invoice_id}/cancel`);
    if (end === 'void') await api.post(`/payments/${payment_id}/void`, { reason: 'Recorded for the wrong invoice' });
    if (end === 'settle') await api.patch(`/invoices/${invoice_id}`, { status: 'paid' });
  };
  for (const { details, invoices: planned } of plan) {
    const customer_id = await ensure('customers', details);
    for (const invoice of planned) {
      if (signal.aborted) return true;
      await loadInvoice(customer_id, invoice);
    }
  }
  return true;
};

/** The series of the numbers of this year. */
const ensureSeries = async (api: Api): Promise<number> => {
  const prefix = `${new Date().getUTCFullYear()}-`;
  const known = (await api.all('number-series', 'id,prefix')).find((series) => series['prefix'] === prefix);
  return (known ?? (await api.post('/number-series', { prefix })))['id'];
};
