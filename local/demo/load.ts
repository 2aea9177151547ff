import type { AnyJson, Api } from './in-process-client.ts';
import type { InvoicePlan } from './invoice-plan.ts';
import type { CustomerPlan } from './plan.ts';

const CONCURRENT = 8;

const demoReference = ({ metadata }: AnyJson): unknown => metadata.demo;

/** The fields by which the rows of each collection are recognized, and their name in the plan. */
const COLLECTIONS = {
  customers: { fields: 'id,metadata', nameOf: demoReference },
  invoices: { fields: 'id,status,metadata', nameOf: demoReference },
  payments: { fields: 'id,reference', nameOf: ({ reference }: AnyJson) => reference },
  refunds: {
    fields: 'id,payment_id,reason',
    nameOf: ({ payment_id, reason }: AnyJson) => `${payment_id} ${reason}`,
  },
} as const;
type Collection = keyof typeof COLLECTIONS;

const readRows = (api: Api, collection: Collection): Promise<AnyJson[]> =>
  api.all(collection, COLLECTIONS[collection].fields);

/** Creates a row unless the account has one of this name, and returns its id. */
type Ensure = (collection: Collection, body: AnyJson) => Promise<number>;

const createEnsure = async (api: Api, invoices: readonly AnyJson[]): Promise<Ensure> => {
  const ids = new Map<string, number>();
  const keyOf = (collection: Collection, row: AnyJson) => `${collection} ${COLLECTIONS[collection].nameOf(row)}`;
  const names = Object.keys(COLLECTIONS) as Collection[];
  await Promise.all(
    names.map(async (name) => {
      const rows = name === 'invoices' ? invoices : await readRows(api, name);
      for (const row of rows) ids.set(keyOf(name, row), row['id']);
    }),
  );
  return async (collection, body) => ids.get(keyOf(collection, body)) ?? (await api.post(`/${collection}`, body))['id'];
};

/** Whether the last invoice of the plan exists. It is created last, and nobody can delete it. */
const isLoaded = (invoices: readonly AnyJson[], plan: readonly CustomerPlan[]): boolean => {
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
  const invoices = await readRows(api, 'invoices');
  if (isLoaded(invoices, plan)) return false;
  const ensure = await createEnsure(api, invoices);
  const queue = plan.slice(0, -1);
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next && !signal.aborted; next = queue.shift()) await loadCustomer(next);
  };
  const loadCustomer = async ({ details, invoices }: CustomerPlan): Promise<void> => {
    const customer_id = await ensure('customers', details);
    onStep();
    for (const each of invoices) {
      if (signal.aborted) return;
      await loadInvoice(api, ensure, customer_id, each);
      onStep();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  if (!signal.aborted) await loadCustomer(plan.at(-1) as CustomerPlan);
  return true;
};

const loadInvoice = async (api: Api, ensure: Ensure, customer_id: number, plan: InvoicePlan): Promise<void> => {
  const { terms, items, payments, finally: end } = plan;
  const invoice_id = await ensure('invoices', { ...terms, customer_id, items });
  for (const { refunds, ...payment } of payments) {
    const payment_id = await ensure('payments', { invoice_id, ...payment });
    for (const refund of refunds) await ensure('refunds', { payment_id, ...refund });
  }
  if (end === 'cancel') await api.post(`/invoices/${invoice_id}/cancel`);
  if (end === 'settle') await api.patch(`/invoices/${invoice_id}`, { status: 'paid' });
};
