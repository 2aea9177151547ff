import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { InvoicingError } from '#client/source/index.ts';
import { problem, type Served, serveApi } from './served.ts';

let served: Served;
beforeAll(async () => {
  served = await serveApi();
});
afterAll(() => served.stop());
afterEach(() => {
  served.wire.plan();
  jest.restoreAllMocks();
});

/** Retries without waiting, where nothing is asked for. */
const hasty = () => jest.spyOn(Math, 'random').mockReturnValue(0);
const caught = async (promise: Promise<unknown>): Promise<InvoicingError> => {
  const error = await promise.then(
    () => 'no error',
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvoicingError);
  return error as InvoicingError;
};
const keys = () => served.wire.calls.map(({ headers }) => headers.get('idempotency-key'));
const total = async (list: string) => (await served.service.send(`/v1/${list}?per_page=1`)).json.total_count;

test('a story: a customer, an invoice with items, its payment, its refund', async () => {
  const client = served.client();
  const customer = await client.customers.create({ name: 'Ada' });
  const invoice = await client.invoices.create({ status: 'draft', customer_id: customer.id });
  const item = await client.invoiceItems.create({
    invoice_id: invoice.id,
    description: 'Work',
    unit_amount_cents: 500,
  });
  expect(await client.invoiceItems.patch(item.id, { quantity: 2 })).toMatchObject({ amount_cents: 1000 });
  await client.invoices.patch(invoice.id, { status: 'open' });
  const payment = await client.payments.create({ invoice_id: invoice.id, amount_cents: 1000 });
  const refund = await client.refunds.create({ payment_id: payment.id, reason: 'Goodwill' });
  expect(await client.refunds.get(refund.id)).toEqual(refund);
  expect(await client.invoices.payments(invoice.id).get(payment.id)).toMatchObject({ status: 'refunded' });
  expect(await client.invoices.get(invoice.id, { fields: ['id', 'status'], expand: ['customer'] })).toEqual({
    id: invoice.id,
    status: 'paid',
    customer,
  });
});

test('replace, cancel and delete, and what is gone is not found', async () => {
  const client = served.client();
  const invoice = await client.invoices.create({ total_cents: 5, description: 'x' });
  expect(await client.invoices.replace(invoice.id, { total_cents: 7 })).toMatchObject({
    total_cents: 7,
    description: null,
  });
  expect((await client.invoices.cancel(invoice.id)).status).toBe('canceled');
  expect(await client.invoices.delete(invoice.id)).toBeUndefined();
  const error = await caught(client.invoices.get(invoice.id));
  expect(error).toMatchObject({ name: 'InvoicingError', code: 'not-found', status: 404, attempts: 1, isUnsure: false });
});

test('v2 has money objects', async () => {
  const client = served.client({ version: 'v2' });
  const invoice = await client.invoices.create({ total: { amount: 1250, currency: 'EUR' } });
  const payment = await client.payments.create({ invoice_id: invoice.id, amount: { amount: 1250 } });
  expect([invoice.total, payment.amount]).toEqual(Array(2).fill({ amount: 1250, currency: 'EUR' }));
});

test('§7: a problem is one error with its code, its status and all that the service said', async () => {
  const client = served.client();
  const invoice = await client.invoices.create({ total_cents: 5 });
  const error = await caught(client.payments.create({ invoice_id: invoice.id, amount_cents: 6 }));
  expect(error).toMatchObject({ code: 'amount-exceeds-due', status: 422, problem: { amount_due_cents: 5 } });
  expect(error.problem?.errors).toMatchObject([{ pointer: '/amount_cents' }]);
  expect(error.message).toBe(`amount-exceeds-due: ${error.problem?.detail}`);
});

test('§4 Idempotency 1: a key is made once for an operation and kept for all its attempts', async () => {
  hasty();
  const client = served.client();
  const invoice = await client.invoices.create({ total_cents: 5000 });
  const before = await total('payments');
  served.wire.plan((_, call) => (call === 0 ? 'lost-answer' : call === 1 ? problem(503, 'unavailable') : undefined));
  const payment = await client.payments.create({ invoice_id: invoice.id, amount_cents: 100 });
  expect(payment.amount_cents).toBe(100);
  expect(await total('payments')).toBe(before + 1);
  expect([keys().length, new Set(keys()).size]).toEqual([3, 1]);
  await client.payments.create({ invoice_id: invoice.id, amount_cents: 100 });
  expect([new Set(keys()).size, await total('payments')]).toEqual([2, before + 2]);
});

test('a key of the caller’s own makes the same call of another process a replay', async () => {
  const idempotencyKey = crypto.randomUUID();
  const made = () => served.client().invoices.create({ total_cents: 1 }, { idempotencyKey });
  expect(await made()).toEqual(await made());
});

test.each([
  ['customers.create', (c: ReturnType<Served['client']>) => c.customers.create({ name: 'Once' }), 'customers'],
  ['invoices.create', (c: ReturnType<Served['client']>) => c.invoices.create({ total_cents: 3 }), 'invoices'],
] as const)('%s has a key, too: an answer that is lost doubles nothing', async (_, create, list) => {
  hasty();
  const before = await total(list);
  served.wire.plan((_, call) => (call < 2 ? 'lost-answer' : undefined));
  await create(served.client());
  expect([served.wire.calls.length, await total(list)]).toEqual([3, before + 1]);
});

test('what is idempotent is sent again: GET, PUT, DELETE, and a 404 after a lost DELETE is its own doing', async () => {
  hasty();
  const client = served.client();
  const { id } = await client.customers.create({ name: 'Ada' });
  const once = (_: unknown, call: number) => (call === 0 ? ('lost-answer' as const) : undefined);
  for (const work of [
    () => client.customers.get(id),
    () => client.customers.replace(id, { name: 'B' }),
    () => client.customers.delete(id),
  ]) {
    served.wire.plan(once);
    await work();
    expect(served.wire.calls.length).toBe(2);
  }
  served.wire.plan();
  expect((await caught(client.customers.delete(id))).code).toBe('not-found');
});

test('a PATCH without a tag is not sent again once it may have arrived, but is when it was turned away', async () => {
  hasty();
  const client = served.client();
  const { id } = await client.customers.create({ name: 'Ada' });
  served.wire.plan(() => 'lost-answer');
  const error = await caught(client.customers.patch(id, { name: 'B' }));
  expect(error).toMatchObject({ code: 'network-error', status: undefined, attempts: 1, isUnsure: true });
  served.wire.plan((_, call) => (call < 2 ? problem(429, 'too-many-requests') : undefined));
  expect(await client.customers.patch(id, { name: 'C' })).toMatchObject({ name: 'C' });
});

test('after the last retry the error tells how often it was sent', async () => {
  hasty();
  served.wire.plan(() => 'never-sent');
  expect(await caught(served.client().invoices.get(1))).toMatchObject({ code: 'network-error', attempts: 5 });
  expect(await caught(served.client({ retries: 1 }).invoices.get(1))).toMatchObject({ attempts: 2 });
  expect(await caught(served.client({ retries: 0 }).invoices.get(1))).toMatchObject({ attempts: 1 });
});

test('Retry-After is honoured, and a request in progress is asked for again', async () => {
  hasty();
  served.wire.plan((_, call) => (call === 0 ? problem(409, 'request-in-progress', { 'retry-after': '1' }) : undefined));
  const start = performance.now();
  await served.client().invoices.create({});
  expect(performance.now() - start).toBeGreaterThanOrEqual(990);
  expect(new Set(keys()).size).toBe(1);
});

test('what a gateway answers by itself is an error with its status', async () => {
  served.wire.plan(() => Response.json({ message: 'Internal Server Error' }, { status: 500 }));
  expect(await caught(served.client().invoices.get(1))).toMatchObject({ code: 'unexpected-answer', status: 500 });
  served.wire.plan(() => new Response('<html>', { status: 403 }));
  expect(await caught(served.client().invoices.get(1))).toMatchObject({ code: 'unexpected-answer', status: 403 });
});

test('an attempt takes no longer than it may', async () => {
  hasty();
  served.wire.plan(async ({ init }) => {
    await new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
    return undefined;
  });
  const error = await caught(served.client({ timeout: 30, retries: 1 }).invoices.get(1));
  expect(error).toMatchObject({ code: 'timeout', attempts: 2 });
});

test('a signal ends a call at once, waits and retries included, with its reason', async () => {
  served.wire.plan(() => problem(503, 'unavailable', { 'retry-after': '50' }));
  const stopping = new AbortController();
  const call = served.client().invoices.get(1, {}, { signal: stopping.signal });
  setTimeout(() => stopping.abort(new Error('enough')), 50);
  await expect(call).rejects.toThrow('enough');
  await expect(served.client().invoices.get(1, {}, { signal: stopping.signal })).rejects.toThrow('enough');
  served.wire.plan();
  await expect(
    served
      .client()
      .invoices.list({}, { signal: AbortSignal.abort('over') })
      .page(),
  ).rejects.toBe('over');
});

test('the token is asked for before every attempt, and never retried itself', async () => {
  hasty();
  const tokens = ['expired', await served.service.token()];
  served.wire.plan((_, call) => (call === 0 ? problem(503, 'unavailable') : undefined));
  await served
    .client({ token: () => tokens.shift() as string })
    .invoices.list()
    .page();
  expect(served.wire.calls.map(({ headers }) => headers.get('authorization')?.slice(0, 10))).toEqual([
    'Bearer exp',
    'Bearer eyJ',
  ]);
  await expect(served.client({ token: () => Promise.reject(new Error('no login')) }).invoices.get(1)).rejects.toThrow(
    'no login',
  );
  expect(await caught(served.client({ token: 'wrong' }).invoices.get(1))).toMatchObject({ code: 'unauthenticated' });
});

test('§8: no browser shows from its cache what may have changed by another request', async () => {
  await served.client().invoices.list().page();
  expect(served.wire.calls.map(({ init }) => init.cache)).toEqual(['no-cache']);
});
