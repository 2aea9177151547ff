import type { Ids } from '#test/support/requests/examples.ts';
import { newPrefix } from '../numbers/series.ts';
import type { Make } from '../support/id-makers.ts';
import { endedPeriod } from '../support/prerequisites.ts';

/** Creates the resources that an operation needs, in the state that it needs. */
export type Prerequisites = (operation: string) => Promise<Ids>;

/** A write: creates what it needs, and returns its path without the version, and its body under v1 and v2. */
export interface Scenario {
  /** The types of its events, in alphabetical order, written by hand from CONTRACT §14. */
  readonly types: readonly string[];
  /** The changed fields whose values GET does not show. */
  readonly secret?: readonly string[];
  readonly prepare: (make: Make, prerequisites: Prerequisites) => Promise<{ path: string; body?: object; v2?: object }>;
}

const on = async (collection: string, id: Promise<number>, body?: object, v2 = body) => ({
  path: `/${collection}/${await id}`,
  ...(body && { body, v2: v2 as object }),
});

const series = (make: Make): Promise<number> => make.create('number-series', { prefix: newPrefix() });

const money = (amount: number) => ({ amount, currency: 'USD' });

const payment = async (id: Promise<number>, amount: number) => {
  const invoice_id = await id;
  const body = { invoice_id, amount_cents: amount };
  return { path: '/payments', body, v2: { invoice_id, amount: money(amount) } };
};

const refund = async (id: Promise<number>, amount: number) => {
  const payment_id = await id;
  return { path: '/refunds', body: { payment_id, amount_cents: amount }, v2: { payment_id, amount: money(amount) } };
};

const creditNote = async (id: Promise<number>, amount: number, more: object = {}) => {
  const invoice_id = await id;
  const body = { invoice_id, amount_cents: amount, ...more };
  return { path: '/credit-notes', body, v2: { invoice_id, amount: money(amount), ...more } };
};

const newItem = async (id: Promise<number>, amount: number) => {
  const invoice_id = await id;
  const description = 'Work';
  const body = { invoice_id, description, unit_amount_cents: amount };
  return { path: '/invoice-items', body, v2: { invoice_id, description, unit_amount: money(amount) } };
};

export const SCENARIOS: Readonly<Record<string, readonly Scenario[]>> = {
  'customers/update': [
    { types: ['customer.updated'], prepare: (make) => on('customers', make.customer(), { email: 'a@b.co' }) },
  ],
  'customers/replace': [
    { types: ['customer.updated'], prepare: (make) => on('customers', make.customer(), { name: 'Bob' }) },
  ],
  'customers/delete': [{ types: ['customer.deleted'], prepare: (make) => on('customers', make.customer()) }],
  'number-series/update': [
    { types: ['number_series.updated'], prepare: (make) => on('number-series', series(make), { digits: 7 }) },
  ],
  'number-series/delete': [{ types: ['number_series.deleted'], prepare: (make) => on('number-series', series(make)) }],
  'invoices/create': [
    {
      types: ['invoice.created'],
      prepare: async (make) => {
        const body = { customer_id: await make.customer(), series_id: await series(make) };
        return { path: '/invoices', body, v2: body };
      },
    },
    {
      types: ['invoice.created'],
      prepare: async (make) => {
        const body = { customer_id: await make.customer() };
        return { path: '/invoices', body, v2: body };
      },
    },
    {
      types: ['invoice.created', ...Array<string>(90).fill('invoice_item.created')],
      prepare: async (make) => {
        const invoice = { customer_id: await make.customer() };
        const listOf = (item: object) => Array.from({ length: 90 }, (_, i) => ({ description: `Line ${i}`, ...item }));
        const body = { ...invoice, items: listOf({ unit_amount_cents: 7, quantity: 2 }) };
        return { path: '/invoices', body, v2: { ...invoice, items: listOf({ unit_amount: money(7), quantity: 2 }) } };
      },
    },
  ],
  'invoices/update': [
    { types: ['invoice.updated'], prepare: (make) => on('invoices', make.invoice(), { description: 'x' }) },
    {
      types: ['invoice.updated'],
      prepare: (make) => on('invoices', make.invoice(), { total_cents: 7 }, { total: money(7) }),
    },
    {
      types: ['invoice.updated'],
      prepare: async (make) =>
        on('invoices', make.invoice({ customer_id: await make.customer() }), { customer_id: await make.customer() }),
    },
    {
      types: ['invoice.opened'],
      prepare: (make) => on('invoices', make.invoice({ status: 'draft' }), { status: 'open', description: 'x' }),
    },
    {
      types: ['invoice.opened'],
      prepare: async (make) =>
        on('invoices', make.invoice({ status: 'draft', series_id: await series(make) }), { status: 'open' }),
    },
    { types: ['invoice.paid'], prepare: (make) => on('invoices', make.invoice(), { status: 'paid' }) },
    {
      types: ['invoice.paid'],
      prepare: (make) => on('invoices', make.partlyPaid(), { total_cents: 40 }, { total: money(40) }),
    },
  ],
  'invoices/replace': [
    {
      types: ['invoice.updated'],
      prepare: (make) => on('invoices', make.invoice(), { total_cents: 7 }, { total: money(7) }),
    },
    {
      types: ['invoice.opened'],
      prepare: (make) => on('invoices', make.invoice({ status: 'draft' }), { status: 'open' }),
    },
  ],
  'invoices/delete': [
    {
      types: ['invoice.deleted'],
      prepare: async (make) => on('invoices', make.invoice({ customer_id: await make.customer() })),
    },
    {
      types: ['invoice.deleted', 'invoice_item.deleted', 'invoice_item.deleted'],
      prepare: async (make) => {
        const id = await make.itemizedWith(5);
        const second = await make.item(id, 7);
        // The second item has another version than the first.
        await make.send('PATCH', `/v1/invoice-items/${second}`, { description: 'New' });
        return on('invoices', Promise.resolve(id));
      },
    },
  ],
  'invoices/reopen': [
    {
      types: ['invoice.reopened'],
      prepare: async (make) => {
        const id = await make.invoice();
        await make.send('PATCH', `/v1/invoices/${id}`, { status: 'paid' });
        return { path: `/invoices/${id}/reopen` };
      },
    },
  ],
  'payments/void': [
    {
      types: ['invoice.reopened', 'payment.voided'],
      prepare: async (make) => ({ path: `/payments/${await make.paymentOf(100, 100)}/void` }),
    },
    {
      types: ['invoice.updated', 'payment.voided'],
      prepare: async (make) => ({
        path: `/payments/${await make.paymentOf(100, 60)}/void`,
        body: { reason: 'x' },
        v2: { reason: 'x' },
      }),
    },
  ],
  'invoices/cancel': [
    { types: ['invoice.canceled'], prepare: async (make) => ({ path: `/invoices/${await make.invoice()}/cancel` }) },
  ],
  'invoice-items/create': [
    { types: ['invoice.updated', 'invoice_item.created'], prepare: (make) => newItem(make.itemized(), 5) },
    // The version of the invoice changes, its fields do not.
    { types: ['invoice.updated', 'invoice_item.created'], prepare: (make) => newItem(make.itemizedWith(5), 0) },
  ],
  'invoice-items/update': [
    { types: ['invoice_item.updated'], prepare: (make) => on('invoice-items', make.itemOf(), { description: 'New' }) },
    {
      types: ['invoice.updated', 'invoice_item.updated'],
      prepare: (make) => on('invoice-items', make.itemOf(), { quantity: 3 }),
    },
  ],
  'invoice-items/replace': [
    {
      types: ['invoice.updated', 'invoice_item.updated'],
      prepare: async (make) => {
        const invoice_id = await make.itemized();
        const body = { invoice_id, description: 'New', unit_amount_cents: 9 };
        const v2 = { invoice_id, description: 'New', unit_amount: money(9) };
        return on('invoice-items', make.item(invoice_id), body, v2);
      },
    },
  ],
  'invoice-items/delete': [
    { types: ['invoice.updated', 'invoice_item.deleted'], prepare: (make) => on('invoice-items', make.itemOf()) },
  ],
  'payments/create': [
    { types: ['invoice.updated', 'payment.created'], prepare: (make) => payment(make.invoice(), 40) },
    { types: ['invoice.paid', 'payment.created'], prepare: (make) => payment(make.invoice(), 100) },
    { types: ['invoice.paid', 'payment.created'], prepare: (make) => payment(make.partlyPaid(), 60) },
  ],
  'refunds/create': [
    { types: ['payment.partially_refunded', 'refund.created'], prepare: (make) => refund(make.paymentOf(100, 60), 20) },
    { types: ['payment.refunded', 'refund.created'], prepare: (make) => refund(make.paymentOf(100, 60), 60) },
    { types: ['payment.updated', 'refund.created'], prepare: (make) => refund(make.refundedPayment(), 20) },
    { types: ['payment.refunded', 'refund.created'], prepare: (make) => refund(make.refundedPayment(), 50) },
  ],
  'credit-notes/create': [
    { types: ['credit_note.created', 'invoice.updated'], prepare: (make) => creditNote(make.invoice(), 40) },
    { types: ['credit_note.created', 'invoice.paid'], prepare: (make) => creditNote(make.partlyPaid(), 60) },
    { types: ['credit_note.created', 'invoice.canceled'], prepare: (make) => creditNote(make.invoice(), 100) },
    {
      types: ['credit_note.created', 'invoice.updated'],
      prepare: async (make) => creditNote(make.invoice(), 40, { series_id: await series(make) }),
    },
  ],
  'exports/create': [
    {
      types: ['export.created'],
      prepare: async () => {
        const body = { type: 'customers', format: 'csv', filter: endedPeriod() };
        return { path: '/exports', body, v2: body };
      },
    },
  ],
  'webhook-endpoints/update': [
    {
      types: ['webhook_endpoint.updated'],
      prepare: (make) => on('webhook-endpoints', make.webhook(), { status: 'disabled' }),
    },
  ],
  'webhook-endpoints/delete': [
    { types: ['webhook_endpoint.deleted'], prepare: (make) => on('webhook-endpoints', make.webhook()) },
  ],
  'webhook-endpoints/rotate-secret': [
    {
      types: ['webhook_endpoint.updated'],
      secret: ['secret'],
      prepare: async (make) => ({ path: `/webhook-endpoints/${await make.webhook()}/rotate-secret` }),
    },
  ],
  'webhook-endpoints/test': [
    { types: [], prepare: async (make) => ({ path: `/webhook-endpoints/${await make.webhook()}/test` }) },
  ],
  'webhook-endpoints/rewind': [
    {
      types: [],
      prepare: async (make) => {
        await make.customer();
        const body = { sequence: 0 };
        return { path: `/webhook-endpoints/${await make.webhook()}/rewind`, body, v2: body };
      },
    },
  ],
  'webhook-deliveries/retry': [
    {
      types: [],
      prepare: async (_, prerequisites) => {
        const { webhook_delivery_id } = await prerequisites('webhook-deliveries/retry');
        return { path: `/webhook-deliveries/${webhook_delivery_id}/retry` };
      },
    },
  ],
  'exports/cancel': [
    { types: ['export.canceled'], prepare: async (make) => ({ path: `/exports/${await make.exported()}/cancel` }) },
  ],
};
