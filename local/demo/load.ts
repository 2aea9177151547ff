import type { Handle } from '#local/gateway/handle.ts';
import { type AnyJson, type Api, inProcessClient } from './client.ts';
import { BUSINESSES, EVENT_TYPES, EXPORTS } from './data.ts';
import { type InvoicePlan, type Plan, planOf } from './plan.ts';

/** The field by which a load recognizes the rows of a collection. */
const KEYS = {
  'number-series': 'prefix',
  customers: 'external_id',
  invoices: 'external_id',
  payments: 'external_id',
  refunds: 'external_id',
  'credit-notes': 'external_id',
  exports: 'type',
  'webhook-endpoints': 'url',
  'webhook-deliveries': 'webhook_endpoint_id',
} as const;

type Collection = keyof typeof KEYS;

/**
 * Loads the demo accounts through the handlers of the endpoints.
 * @param receiver the URL that receives the webhooks of both accounts
 * @param signal stops the load before the next invoice, without an error
 * @returns whether any row was missing
 */
export const loadDemo = async (
  handle: Handle,
  receiver: string,
  tokenOf: (account: string) => Promise<string>,
  signal: AbortSignal,
): Promise<boolean> => {
  const today = new Date();
  const loads = BUSINESSES.map(async (business) =>
    load(inProcessClient(handle, await tokenOf(business.account)), planOf(business, today), receiver, signal),
  );
  return (await Promise.all(loads)).some(Boolean);
};

/**
 * Creates the rows of a plan that the account lacks. It recognizes existing rows by a field, not by an idempotency
 * key, so it can continue at any later time. It creates the last invoice last, which then stays: with this invoice, the
 * account is complete.
 */
const load = async (
  api: Api,
  { prefix, customers, invoices }: Plan,
  receiver: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const last = await api.get(`/invoices?external_id=${invoices.at(-1)?.terms.external_id}&fields=status`);
  if (last['data'][0]?.status === 'paid') return false;
  const ids = new Map<string, number>();
  for (const [name, key] of Object.entries(KEYS))
    for (const row of await api.all(name, `id,${key}`)) ids.set(`${name} ${row[key]}`, row['id']);
  const ensure = async (name: Collection, body: AnyJson): Promise<number> =>
    ids.get(`${name} ${body[KEYS[name]]}`) ?? (await api.post(`/${name}`, body))['id'];
  const series_id = await ensure('number-series', { prefix });
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
  const loadWebhooks = async () => {
    const id = await ensure('webhook-endpoints', { url: receiver, event_types: EVENT_TYPES });
    if (!ids.has(`webhook-deliveries ${id}`)) await api.post(`/webhook-endpoints/${id}/test`);
  };
  for (const body of EXPORTS) await ensure('exports', body);
  const customerIds: number[] = [];
  for (const details of customers) customerIds.push(await ensure('customers', details));
  for (const invoice of invoices) {
    if (signal.aborted) return true;
    // The endpoint does not get the events of the invoices before, which are many.
    if (invoice === invoices.at(-1)) await loadWebhooks();
    await loadInvoice(customerIds[invoice.customer] as number, invoice);
  }
  return true;
};
