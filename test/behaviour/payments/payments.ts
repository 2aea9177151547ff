import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { createInvoice, outcome, patch, pay, pointersOf, post, refund, remove } from '../support/requests.ts';

const get = async (service: Service, target: string) => (await service.send(target)).json;

const INVALID: readonly (readonly [change: object, pointer: string])[] = [
  [{ amount_cents: 0 }, '/amount_cents'],
  [{ amount_cents: -1 }, '/amount_cents'],
  [{ amount_cents: 1.5 }, '/amount_cents'],
  [{ amount_cents: '1' }, '/amount_cents'],
  [{ amount_cents: undefined }, '/amount_cents'],
  [{ invoice_id: 'x' }, '/invoice_id'],
  [{ invoice_id: undefined }, '/invoice_id'],
  [{ method: 'cheque' }, '/method'],
  [{ nope: 1 }, '/nope'],
];

const creation = [
  check(
    'CONTRACT §4',
    'POST: 201 with the payment, Location and ETag; the invoice shows the amount',
    async (service) => {
      const id = await createInvoice(service, { total_cents: 1000, currency: 'EUR' });
      const body = { invoice_id: id, amount_cents: 400, method: 'card', reference: 'ch_1' };
      const answer = await post(service, '/v1/payments', body);
      const { id: payment, created_at } = answer.json;
      expect(answer.json).toEqual({
        ...{ ...body, id: expect.any(Number), currency: 'EUR', status: 'succeeded' },
        ...{ amount_refunded_cents: 0, created_at: expect.any(String), updated_at: created_at },
      });
      expect(answer.headers).toMatchObject({ location: `/v1/payments/${payment}`, etag: '"1"' });
      expect((await service.send(`/v1/payments/${payment}`)).text).toBe(answer.text);
      const invoice = await service.send(`/v1/invoices/${id}`);
      expect(invoice.json).toMatchObject({
        status: 'open',
        amount_paid_cents: 400,
        amount_due_cents: 600,
        paid_at: null,
      });
      expect(invoice.headers['etag']).toBe('"2"');
    },
  ),
  check('CONTRACT §4', 'POST without method and reference: the fields have their defaults', async (service) => {
    expect((await pay(service, await createInvoice(service), 1)).json).toMatchObject({
      method: 'other',
      reference: null,
    });
  }),
  check('CONTRACT §4', 'payments that reach the total: the invoice is paid', async (service) => {
    const id = await createInvoice(service);
    await pay(service, id, 999);
    expect((await get(service, `/v1/invoices/${id}`)).status).toBe('open');
    await pay(service, id, 1);
    const settled = await get(service, `/v1/invoices/${id}`);
    expect(settled).toMatchObject({ status: 'paid', amount_paid_cents: 1000, amount_due_cents: 0 });
    expect(settled.paid_at).toBe(settled.updated_at);
  }),
  check('CONTRACT §4', 'an amount above the amount due: 422 with amount_due_cents, no payment', async (service) => {
    const id = await createInvoice(service);
    await pay(service, id, 300);
    const answer = await pay(service, id, 701);
    expect(outcome(answer)).toEqual([422, 'amount-exceeds-due']);
    expect(answer.json.amount_due_cents).toBe(700);
    expect(answer.json.errors).toEqual([expect.objectContaining({ pointer: '/amount_cents' })]);
    const v2 = await post(service, '/v2/payments', { invoice_id: id, amount: { amount: 701 } });
    expect(v2.json).toMatchObject({ code: 'amount-exceeds-due', amount_due: { amount: 700, currency: 'USD' } });
    expect(v2.json.errors).toEqual([expect.objectContaining({ pointer: '/amount/amount' })]);
    expect((await get(service, `/v1/payments?invoice_id=${id}`)).data).toHaveLength(1);
    expect((await get(service, `/v1/invoices/${id}`)).amount_paid_cents).toBe(300);
  }),
  check('CONTRACT §4', 'an invoice that is draft, canceled or paid: 422 invoice-not-payable', async (service) => {
    const draft = await createInvoice(service, { total_cents: 5, status: 'draft' });
    const canceled = await createInvoice(service);
    await post(service, `/v1/invoices/${canceled}/cancel`);
    const settled = await createInvoice(service, { total_cents: 5 });
    await pay(service, settled, 5);
    const outside = await createInvoice(service, { total_cents: 5 });
    await patch(service, `/v1/invoices/${outside}`, { status: 'paid' });
    for (const id of [draft, canceled, settled, outside])
      expect(outcome(await pay(service, id, 1))).toEqual([422, 'invoice-not-payable']);
    expect((await get(service, `/v1/payments?invoice_id=${draft}`)).data).toEqual([]);
  }),
  ...INVALID.map(([change, pointer]) =>
    check('CONTRACT §4', `a payment with ${JSON.stringify(change)}: 422 at ${pointer}`, async (service) => {
      const body = { invoice_id: await createInvoice(service), amount_cents: 1, ...change };
      const answer = await post(service, '/v1/payments', body);
      expect([answer.status, answer.json.errors[0].pointer]).toEqual([422, pointer]);
    }),
  ),
  ...['payments', 'refunds'].map((collection) =>
    check('CONTRACT §4', `PATCH, PUT or DELETE of a member of ${collection}: 405, nothing changes`, async (service) => {
      const payment = await pay(service, await createInvoice(service), 2);
      const member = collection === 'payments' ? payment : await refund(service, payment.json.id, 1);
      const path = `/v1/${collection}/${member.json.id}`;
      const before = (await service.send(path)).text;
      for (const method of ['PATCH', 'PUT', 'DELETE'])
        expect(outcome(await service.send(path, { method, body: {} }))).toEqual([405, 'method-not-allowed']);
      expect((await service.send(path)).text).toBe(before);
    }),
  ),
];

const nested = [
  check('CONTRACT §4', 'the payments of an invoice: only its payments, with pages and fields', async (service) => {
    const id = await createInvoice(service);
    await pay(service, await createInvoice(service), 1);
    const [a, b, c] = [
      (await pay(service, id, 1)).json,
      (await pay(service, id, 2)).json,
      (await pay(service, id, 3)).json,
    ];
    const path = `/v1/invoices/${id}/payments`;
    expect((await get(service, path)).data).toEqual([a, b, c]);
    expect((await get(service, `/v1/payments?invoice_id=${id}`)).data).toEqual([a, b, c]);
    const first = await get(service, `${path}?limit=2&fields=id`);
    expect([first.data, first.has_more]).toEqual([[{ id: a.id }, { id: b.id }], true]);
    expect((await get(service, `${path}?limit=2&after=${first.next_cursor}`)).data).toEqual([c]);
    expect(await get(service, `${path}?page=2&per_page=2`)).toMatchObject({ total_count: 3, data: [c] });
    expect((await service.send(`${path}?invoice_id=${id}`)).status).toBe(422);
  }),
  check('CONTRACT §2', 'a payment below its invoice: the payment; below another invoice: 404', async (service) => {
    const id = await createInvoice(service);
    const other = (await pay(service, await createInvoice(service), 1)).json;
    const { json: own } = await pay(service, id, 1);
    const path = `/v1/invoices/${id}/payments`;
    expect(await get(service, `${path}/${own.id}`)).toEqual(own);
    expect(await get(service, `${path}/${own.id}?fields=amount_cents`)).toEqual({ amount_cents: 1 });
    for (const query of ['', '?fields=id'])
      expect(outcome(await service.send(`${path}/${other.id}${query}`))).toEqual([404, 'not-found']);
  }),
];

const invoices = [
  check('CONTRACT §4', 'a total below the amount paid: 422; equal to it: the invoice is paid', async (service) => {
    const path = `/v1/invoices/${await createInvoice(service)}`;
    await pay(service, Number(path.split('/').at(-1)), 400);
    const before = (await service.send(path)).text;
    const refused = await patch(service, path, { total_cents: 399 });
    expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'total-below-paid', '/total_cents']);
    expect((await service.send(path)).text).toBe(before);
    expect((await patch(service, path, { total_cents: 401 })).json).toMatchObject({
      status: 'open',
      amount_due_cents: 1,
    });
    const { json } = await patch(service, path, { total_cents: 400 });
    expect(json).toMatchObject({ status: 'paid', amount_due_cents: 0, paid_at: json.updated_at });
  }),
  check('CONTRACT §4', 'another currency of an invoice with payments: 422 currency-locked', async (service) => {
    const id = await createInvoice(service);
    await pay(service, id, 400);
    const v1 = await patch(service, `/v1/invoices/${id}`, { currency: 'EUR' });
    expect([...outcome(v1), ...pointersOf(v1)]).toEqual([422, 'currency-locked', '/currency']);
    const v2 = await patch(service, `/v2/invoices/${id}`, { total: { amount: 1000, currency: 'EUR' } });
    expect([...outcome(v2), ...pointersOf(v2)]).toEqual([422, 'currency-locked', '/total/currency']);
    expect((await get(service, `/v1/invoices/${id}`)).currency).toBe('USD');
  }),
  ...[400, 1000].map((amount) =>
    check(
      'CONTRACT §4',
      `DELETE of an invoice with ${amount} of 1000 paid: 409 invoice-has-payments`,
      async (service) => {
        const id = await createInvoice(service);
        await pay(service, id, amount);
        expect(outcome(await remove(service, `/v1/invoices/${id}`))).toEqual([409, 'invoice-has-payments']);
        expect((await get(service, `/v1/payments?invoice_id=${id}`)).data).toHaveLength(1);
      },
    ),
  ),
  check('CONTRACT §12', 'DELETE of an invoice with payments that was settled outside: 409', async (service) => {
    const id = await createInvoice(service);
    await pay(service, id, 400);
    const settled = await patch(service, `/v1/invoices/${id}`, { status: 'paid' });
    expect(settled.json).toMatchObject({ status: 'paid', amount_paid_cents: 400, amount_due_cents: 0 });
    expect(outcome(await remove(service, `/v1/invoices/${id}`))).toEqual([409, 'invoice-has-payments']);
  }),
];

export const payments: Group = { name: 'Payments', checks: [...creation, ...nested, ...invoices] };
