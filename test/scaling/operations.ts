import { randomUUID } from 'node:crypto';
import { tables } from '#shared/invoicing/tables.ts';
import { indexKeys } from '#shared/platform/dynamodb/table.ts';
import { createId } from '#shared/platform/id.ts';
import type { Call, Sent } from '#test/support/service/client.ts';
import type { LocalService } from '#test/support/service/local-service.ts';
import { makers } from '#test/support/service/makers.ts';
import { rowsOf } from '#test/support/state/invariants.ts';
import { createSealer } from '#test/support/state/pages.ts';
import { putRows } from '#test/support/state/put-rows.ts';

/** Creates the resources that a request needs, and returns the request. */
export type PrepareRequest = (service: LocalService) => Promise<Pick<Call, 'target'> & Partial<Call>>;

/** A time after which a row can be sealed. */
const MINUTE_MS = 61_000;

const DESCRIPTION = 'Analytical engine, one day of work';

const CUSTOMER = { name: 'Ada Lovelace', email: 'ada@example.com' };

const idOf = async (made: Promise<{ id: number }>): Promise<number> => (await made).id;
/** Publishes every change that waits: the newest event cannot be read before. */
const publishAll = async (service: LocalService): Promise<void> => {
  while ((await service.send('/v1/events?sort=-id&limit=1')).status !== 200);
};
/** An invoice for a customer, with a description and a due date. */
const invoice = async (service: LocalService, more: object = {}) =>
  idOf(makers(service).invoice({ ...(await invoiceBody(service)), ...more }));
const invoiceBody = async (service: LocalService) => ({
  customer_id: await idOf(makers(service).customer(CUSTOMER)),
  total_cents: 1250,
  due_date: '2026-12-24',
  description: DESCRIPTION,
});
const LINES = Array.from({ length: 20 }, () => ({ description: DESCRIPTION, quantity: 3, unit_amount_cents: 125 }));
/** The body of an invoice whose total is the sum of 20 items. */
const itemized = async (service: LocalService) => {
  const { total_cents: _, ...terms } = await invoiceBody(service);
  return { ...terms, items: LINES };
};
const OPEN = { method: 'PATCH', body: { status: 'open' } };
const series = (service: LocalService): Promise<number> =>
  idOf(makers(service).create('number-series', { prefix: `${randomUUID().slice(0, 8).toUpperCase()}-` }) as never);
const payment = async (service: LocalService) => idOf(makers(service).payment(await invoice(service)));

const post =
  (collection: string, body: (service: LocalService) => Promise<object>): PrepareRequest =>
  async (service) => ({
    target: `/v1/${collection}`,
    sent: { method: 'POST', headers: { 'idempotency-key': randomUUID() }, body: await body(service) },
  });
const onInvoice =
  (path: (id: number) => string, sent?: Sent, more?: object): PrepareRequest =>
  async (service) => {
    const target = path(await invoice(service, more));
    return { target, ...(sent && { sent }) };
  };

/** Seals the invoices, as the worker does once they are a minute old. */
const sealInvoices = async (service: LocalService): Promise<void> => {
  const sealer = createSealer(service, MINUTE_MS);
  await sealer.index('acct_1', 'invoices').request();
  await sealer.run();
};

/** The operations whose cost docs/scaling.md states, for an account with {@link ROWS} invoices. */
export const operations: Readonly<Record<string, PrepareRequest>> = {
  'GET /health': async () => ({ target: '/health' }),
  'GET /invoices/{id}': onInvoice((id) => `/v1/invoices/${id}`),
  'GET /invoices/{id}?expand=customer': onInvoice((id) => `/v1/invoices/${id}?expand=customer`),
  'GET /invoices/{id}?expand=items, 20 items': async (service) => ({
    target: `/v1/invoices/${await idOf(makers(service).create('invoices', await itemized(service)))}?expand=items`,
  }),
  'GET /invoices, 20 by cursor': async () => ({ target: '/v1/invoices?limit=20' }),
  'GET /invoices, 100 by cursor': async () => ({ target: '/v1/invoices?limit=100' }),
  'GET /invoices?status=open, 20': async () => ({ target: '/v1/invoices?limit=20&status=open' }),
  'GET /invoices?status=open&sort=due_date, 20': async () => ({
    target: '/v1/invoices?limit=20&status=open&sort=due_date',
  }),
  'GET /invoices?page=1, 20 of 1,000': async (service) => {
    await sealInvoices(service);
    return { target: '/v1/invoices?page=1&per_page=20' };
  },
  'GET /invoices?page=50, 20 of 1,000': async () => ({ target: '/v1/invoices?page=50&per_page=20' }),
  'POST /customers': post('customers', async () => CUSTOMER),
  'POST /customers, no key': async () => ({
    target: '/v1/customers',
    sent: { method: 'POST', body: CUSTOMER },
  }),
  'POST /invoices, for a customer': post('invoices', invoiceBody),
  'POST /invoices, 20 items, for a customer': post('invoices', itemized),
  'POST /invoices, no key, no customer': async () => ({
    target: '/v1/invoices',
    sent: { method: 'POST', body: { total_cents: 1250 } },
  }),
  'POST /invoices, no key, no customer, due': async () => ({
    target: '/v1/invoices',
    sent: { method: 'POST', body: { total_cents: 1250, due_date: '2026-12-24' } },
  }),
  'POST /invoices, for a customer, issued': post('invoices', async (service) => ({
    ...(await invoiceBody(service)),
    series_id: await series(service),
  })),
  'PATCH /invoices/{id}, open': onInvoice((id) => `/v1/invoices/${id}`, OPEN, { status: 'draft' }),
  'PATCH /invoices/{id}, open, issued': async (service) => ({
    target: `/v1/invoices/${await invoice(service, { status: 'draft', series_id: await series(service) })}`,
    sent: OPEN,
  }),
  'PATCH /invoices/{id}': onInvoice((id) => `/v1/invoices/${id}`, { method: 'PATCH', body: { description: 'x' } }),
  'PATCH /invoices/{id}, due date': onInvoice((id) => `/v1/invoices/${id}`, {
    method: 'PATCH',
    body: { due_date: '2027-01-24' },
  }),
  'POST /invoices/{id}/cancel': onInvoice((id) => `/v1/invoices/${id}/cancel`, { method: 'POST' }),
  'DELETE /invoices/{id}': async (service) => {
    const id = await invoice(service);
    await sealInvoices(service);
    return { target: `/v1/invoices/${id}`, sent: { method: 'DELETE' } };
  },
  'POST /invoice-items': post('invoice-items', async (service) => ({
    invoice_id: await invoice(service, { total_cents: 0 }),
    description: 'Work',
    quantity: 3,
    unit_amount_cents: 50,
  })),
  'POST /payments, of a part': post('payments', async (service) => ({
    invoice_id: await invoice(service),
    amount_cents: 100,
  })),
  'POST /payments, of all': post('payments', async (service) => ({
    invoice_id: await invoice(service),
    amount_cents: 1250,
  })),
  'POST /credit-notes': post('credit-notes', async (service) => ({
    invoice_id: await invoice(service),
    amount_cents: 100,
  })),
  'POST /credit-notes, with a number': post('credit-notes', async (service) => ({
    invoice_id: await invoice(service),
    amount_cents: 100,
    series_id: await series(service),
  })),
  'POST /refunds': post('refunds', async (service) => ({ payment_id: await payment(service), amount_cents: 1 })),
  'GET /invoices/{id}/payments': async (service) => {
    const invoice_id = await invoice(service);
    await makers(service).payment(invoice_id);
    return { target: `/v1/invoices/${invoice_id}/payments` };
  },
  'POST /exports': post('exports', async () => ({ type: 'invoices', format: 'csv' })),
  'GET /exports/{id}': async (service) => ({
    target: `/v1/exports/${await idOf(makers(service).export({ type: 'invoices', format: 'csv' }))}`,
  }),
  'GET /events, nothing waits': async (service) => {
    await publishAll(service);
    return { target: '/v1/events?limit=1' };
  },
  'GET /events, a payment waits': async (service) => {
    const paid = await invoice(service);
    await publishAll(service);
    await makers(service).payment(paid);
    return { target: '/v1/events?limit=1' };
  },
  'refused before it reads (401, 403, 415, 422)': async () => ({ target: '/v1/invoices?limit=0' }),
};

/** The number of invoices of the account. */
export const ROWS = 1000;

/** Creates one invoice, and puts the other invoices as copies, a second apart. */
export const createRows = async (service: LocalService): Promise<void> => {
  await makers(service).invoice({ total_cents: 1250, due_date: '2026-12-24', description: DESCRIPTION });
  const [created] = (await rowsOf(service, 'invoices', 'acct_1')) as [{ id: number }];
  const copies = Array.from({ length: ROWS - 1 }, (_, i) => {
    const id = createId(new Date(Date.now() - 1000 * (ROWS - i)).toISOString(), 0);
    return { ...created, id, ...indexKeys(tables.invoices, 'acct_1', { ...created, id }) };
  });
  await putRows(service.client, service.environment['INVOICES_TABLE'] as string, copies);
};
