import { describe, expect } from '@jest/globals';
import { openService, type Service, test } from '#test/support/service/open-service.ts';
import { createInvoice, outcome, patch, pay, pointersOf, post, refund, remove } from '../support/requests.ts';

const service = await openService();

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

describe('Payments', () => {
  test('POST: 201 with the payment, Location and ETag; the invoice shows the amount [CONTRACT §4]', async () => {
    const id = await createInvoice(service, { total_cents: 1000, currency: 'EUR' });
    const body = { invoice_id: id, amount_cents: 400, method: 'card', reference: 'ch_1', external_id: 'ch_1' };
    const answer = await post(service, '/v1/payments', body);
    const { id: payment, created_at } = answer.json;
    expect(answer.json).toEqual({
      ...{ ...body, id: expect.any(Number), currency: 'EUR', status: 'succeeded' },
      ...{
        voided_at: null,
        void_reason: null,
        amount_refunded_cents: 0,
        created_at: expect.any(String),
        updated_at: created_at,
      },
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
  });

  for (const collection of ['payments', 'refunds', 'credit-notes']) {
    test(`POST /${collection} without an Idempotency-Key: 400 [CONTRACT §8]`, async () => {
      const answer = await service.send(`/v1/${collection}`, { method: 'POST', body: {} });
      expect(outcome(answer)).toEqual([400, 'idempotency-key-required']);
    });
  }

  test('POST without method and reference: the fields have their defaults [CONTRACT §4]', async () => {
    expect((await pay(service, await createInvoice(service), 1)).json).toMatchObject({
      method: 'other',
      reference: null,
    });
  });

  test('payments that reach the total: the invoice is paid [CONTRACT §4]', async () => {
    const id = await createInvoice(service);
    await pay(service, id, 999);
    expect((await get(service, `/v1/invoices/${id}`)).status).toBe('open');
    await pay(service, id, 1);
    const settled = await get(service, `/v1/invoices/${id}`);
    expect(settled).toMatchObject({ status: 'paid', amount_paid_cents: 1000, amount_due_cents: 0 });
    expect(settled.paid_at).toBe(settled.updated_at);
  });

  test('an amount above the amount due: 422 with amount_due_cents, no payment [CONTRACT §4]', async () => {
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
  });

  test('an invoice that is draft, canceled or paid: 422 invoice-not-payable [CONTRACT §4]', async () => {
    const draft = await createInvoice(service, { total_cents: 5, status: 'draft' });
    const canceled = await createInvoice(service);
    await post(service, `/v1/invoices/${canceled}/cancel`);
    const settled = await createInvoice(service, { total_cents: 5 });
    await pay(service, settled, 5);
    const outside = await createInvoice(service, { total_cents: 5 });
    await patch(service, `/v1/invoices/${outside}`, { status: 'paid' });
    for (const id of [draft, canceled, settled, outside])
      for (const amount of [{ amount: 1 }, { amount: 9_999, currency: 'SEK' }])
        expect(outcome(await post(service, '/v2/payments', { invoice_id: id, amount }))).toEqual([
          422,
          'invoice-not-payable',
        ]);
    expect((await get(service, `/v1/payments?invoice_id=${draft}`)).data).toEqual([]);
  });

  for (const [change, pointer] of INVALID) {
    test(`a payment with ${JSON.stringify(change)}: 422 at ${pointer} [CONTRACT §4]`, async () => {
      const body = { invoice_id: await createInvoice(service), amount_cents: 1, ...change };
      const answer = await post(service, '/v1/payments', body);
      expect([answer.status, answer.json.errors[0].pointer]).toEqual([422, pointer]);
    });
  }

  test('the payments of an invoice: only its payments, with pages and fields [CONTRACT §4]', async () => {
    const id = await createInvoice(service);
    await pay(service, await createInvoice(service), 1);
    const [a, b] = [(await pay(service, id, 1)).json, (await pay(service, id, 2)).json];
    const path = `/v1/invoices/${id}/payments`;
    expect((await get(service, path)).data).toEqual([a, b]);
    expect((await get(service, `/v1/payments?invoice_id=${id}`)).data).toEqual([a, b]);
    expect((await service.send(`${path}?invoice_id=${id}`)).status).toBe(422);
  });

  test('a payment below its invoice: the payment; below another invoice: 404 [CONTRACT §2]', async () => {
    const id = await createInvoice(service);
    const other = (await pay(service, await createInvoice(service), 1)).json;
    const { json: own } = await pay(service, id, 1);
    const path = `/v1/invoices/${id}/payments`;
    expect(await get(service, `${path}/${own.id}`)).toEqual(own);
    expect(await get(service, `${path}/${own.id}?fields=amount_cents`)).toEqual({ amount_cents: 1 });
    for (const query of ['', '?fields=id'])
      expect(outcome(await service.send(`${path}/${other.id}${query}`))).toEqual([404, 'not-found']);
  });

  test('a total below the amount paid: 422; equal to it: the invoice is paid [CONTRACT §4]', async () => {
    const path = `/v1/invoices/${await createInvoice(service)}`;
    await pay(service, Number(path.split('/').at(-1)), 400);
    const before = (await service.send(path)).text;
    for (const change of [{}, { status: 'paid' }]) {
      const refused = await patch(service, path, { total_cents: 399, ...change });
      expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'total-below-paid', '/total_cents']);
    }
    expect((await service.send(path)).text).toBe(before);
    expect((await patch(service, path, { total_cents: 401 })).json).toMatchObject({
      status: 'open',
      amount_due_cents: 1,
    });
    const { json } = await patch(service, path, { total_cents: 400 });
    expect(json).toMatchObject({ status: 'paid', amount_due_cents: 0, paid_at: json.updated_at });
  });

  test('another currency of an invoice with payments: 422 currency-locked [CONTRACT §4]', async () => {
    const id = await createInvoice(service);
    await pay(service, id, 400);
    const v1 = await patch(service, `/v1/invoices/${id}`, { currency: 'EUR' });
    expect([...outcome(v1), ...pointersOf(v1)]).toEqual([422, 'currency-locked', '/currency']);
    const v2 = await patch(service, `/v2/invoices/${id}`, { total: { amount: 1000, currency: 'EUR' } });
    expect([...outcome(v2), ...pointersOf(v2)]).toEqual([422, 'currency-locked', '/total/currency']);
    expect((await get(service, `/v1/invoices/${id}`)).currency).toBe('USD');
  });

  for (const amount of [400, 1000]) {
    test(`DELETE of an invoice with ${amount} of 1000 paid: 409 invoice-has-payments [CONTRACT §4]`, async () => {
      const id = await createInvoice(service);
      await pay(service, id, amount);
      expect(outcome(await remove(service, `/v1/invoices/${id}`))).toEqual([409, 'invoice-has-payments']);
      expect((await get(service, `/v1/payments?invoice_id=${id}`)).data).toHaveLength(1);
    });
  }

  test('DELETE of an invoice with payments that was settled outside: 409 [CONTRACT §12]', async () => {
    const id = await createInvoice(service);
    await pay(service, id, 400);
    const settled = await patch(service, `/v1/invoices/${id}`, { status: 'paid' });
    expect(settled.json).toMatchObject({ status: 'paid', amount_paid_cents: 400, amount_due_cents: 0 });
    expect(outcome(await remove(service, `/v1/invoices/${id}`))).toEqual([409, 'invoice-has-payments']);
  });
});

describe('Refunds', () => {
  const payment = async (service: Service, amount = 500) =>
    (await pay(service, await createInvoice(service), amount)).json;

  const INVALID: readonly (readonly [change: object, pointer: string])[] = [
    [{ amount_cents: 0 }, '/amount_cents'],
    [{ amount_cents: 1.5 }, '/amount_cents'],
    [{ amount_cents: null }, '/amount_cents'],
    [{ payment_id: undefined }, '/payment_id'],
    [{ payment_id: 'x' }, '/payment_id'],
    [{ reason: 7 }, '/reason'],
    [{ invoice: 1 }, '/invoice'],
  ];

  test('refunds of a part, then of the rest: the invoice is unchanged [CONTRACT §4]', async () => {
    const id = await createInvoice(service);
    const paid = (await pay(service, id, 1000)).json;
    const before = await service.send(`/v1/invoices/${id}`);
    const part = await refund(service, paid.id, 300);
    const { id: refund_id, created_at } = part.json;
    expect(part.json).toEqual({
      ...{
        id: expect.any(Number),
        payment_id: paid.id,
        amount_cents: 300,
        reason: null,
        external_id: null,
        invoice_id: id,
      },
      ...{ currency: 'USD', created_at: expect.any(String), updated_at: created_at },
    });
    expect(part.headers).toMatchObject({ location: `/v1/refunds/${refund_id}`, etag: '"1"' });
    const partly = await service.send(`/v1/payments/${paid.id}`);
    expect(partly.json).toMatchObject({
      status: 'partially_refunded',
      amount_refunded_cents: 300,
      amount_cents: 1000,
    });
    expect(partly.headers['etag']).toBe('"2"');
    const rest = await refund(service, paid.id);
    expect(rest.json.amount_cents).toBe(700);
    expect(await get(service, `/v1/payments/${paid.id}`)).toMatchObject({
      status: 'refunded',
      amount_refunded_cents: 1000,
    });
    const after = await service.send(`/v1/invoices/${id}`);
    expect([after.text, after.headers['etag']]).toEqual([before.text, before.headers['etag']]);
    expect((await get(service, `/v1/refunds?payment_id=${paid.id}`)).data).toEqual([part.json, rest.json]);
    expect((await service.send(`/v1/refunds/${refund_id}`)).text).toBe(part.text);
  });

  test('a payment is refunded: the amount due of its invoice stays [CONTRACT §4]', async () => {
    const id = await createInvoice(service, { total_cents: 500 });
    const { json } = await pay(service, id, 400);
    await refund(service, json.id, 400);
    const answer = await pay(service, id, 101);
    expect([...outcome(answer), answer.json.amount_due_cents]).toEqual([422, 'amount-exceeds-due', 100]);
  });

  test('an amount above the rest that can be refunded: 422, no refund [CONTRACT §4]', async () => {
    const { id } = await payment(service);
    await refund(service, id, 400);
    const answer = await refund(service, id, 101);
    expect(outcome(answer)).toEqual([422, 'amount-exceeds-refundable']);
    expect([answer.json.amount_refundable_cents, ...pointersOf(answer)]).toEqual([100, '/amount_cents']);
    expect(await get(service, `/v1/payments/${id}`)).toMatchObject({ amount_refunded_cents: 400 });
    await refund(service, id, 100);
    expect(outcome(await refund(service, id))).toEqual([422, 'amount-exceeds-refundable']);
    expect((await get(service, `/v1/refunds?payment_id=${id}`)).data).toHaveLength(2);
  });

  test('a v2 refund without an amount: refunds the rest; with another currency: 422 [CONTRACT §4]', async () => {
    const { id } = await payment(service);
    const wrong = await post(service, '/v2/refunds', { payment_id: id, amount: { amount: 501, currency: 'EUR' } });
    expect([wrong.status, ...pointersOf(wrong)]).toEqual([422, '/amount/currency']);
    const all = await post(service, '/v2/refunds', { payment_id: id, reason: 'asked' });
    expect(all.json).toMatchObject({ amount: { amount: 500, currency: 'USD' }, reason: 'asked' });
  });

  for (const [change, pointer] of INVALID) {
    test(`a refund with ${JSON.stringify(change)}: 422 at ${pointer} [CONTRACT §4]`, async () => {
      const answer = await post(service, '/v1/refunds', { payment_id: 1, ...change });
      expect([answer.status, ...pointersOf(answer)]).toEqual([422, pointer]);
    });
  }
});
