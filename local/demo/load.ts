import type { Handle } from '#local/gateway/handle.ts';
import { type AnyJson, type Api, inProcessClient } from './client.ts';
import { BUSINESSES } from './data.ts';
import { type CustomerPlan, type InvoicePlan, planOf } from './plan.ts';

/** The fields of each collection, and what identifies a demo row in it. A payment has at most one refund. */
const COLLECTIONS = {
  customers: ['id,metadata', ({ metadata }: AnyJson) => metadata.demo],
  invoices: ['id,status,metadata', ({ metadata }: AnyJson) => metadata.demo],
  payments: ['id,reference', ({ reference }: AnyJson) => reference],
  refunds: ['id,payment_id', ({ payment_id }: AnyJson) => payment_id],
} as const;
type Collection = keyof typeof COLLECTIONS;

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
 * Creates the rows of a plan that the account lacks. It recognizes existing rows by their reference, not by an
 * idempotency key, so it can continue at any later time. It creates the last invoice last, which then stays: with this
 * invoice, the account is complete.
 */
const load = async (api: Api, plan: readonly CustomerPlan[], signal: AbortSignal): Promise<boolean> => {
  const read = (name: Collection): Promise<AnyJson[]> => api.all(name, COLLECTIONS[name][0]);
  const invoices = await read('invoices');
  const last = plan.at(-1)?.invoices.at(-1)?.terms.metadata.demo;
  if (invoices.some(({ metadata, status }) => metadata.demo === last && status === 'paid')) return false;
  const ids = new Map<string, number>();
  const keyOf = (name: Collection, row: AnyJson) => `${name} ${COLLECTIONS[name][1](row)}`;
  for (const row of invoices) ids.set(keyOf('invoices', row), row['id']);
  for (const name of ['customers', 'payments', 'refunds'] as const)
    for (const row of await read(name)) ids.set(keyOf(name, row), row['id']);
  const ensure = async (name: Collection, body: AnyJson): Promise<number> =>
    ids.get(keyOf(name, body)) ?? (await api.post(`/${name}`, body))['id'];
  const loadInvoice = async (customer_id: number, { terms, payments, refund_cents, end }: InvoicePlan) => {
    const invoice_id = await ensure('invoices', { ...terms, customer_id });
    let payment_id = 0;
    for (const payment of payments) payment_id = await ensure('payments', { invoice_id, ...payment });
    if (refund_cents) await ensure('refunds', { payment_id, amount_cents: refund_cents, reason: 'Goodwill' });
    if (end === 'cancel') await api.post(`/invoices/${invoice_id}/cancel`);
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
