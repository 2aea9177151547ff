import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkInvariants } from '#test/support/invariants.ts';
import { type Answer, type Claims, type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await checkInvariants(service);
  await service.stop();
});

const post = (target: string, body?: object, claims: Claims = {}, key: string | undefined = randomUUID()) =>
  service.send(target, { method: 'POST', ...(body && { body }), claims, headers: { 'idempotency-key': key } });
const invoice = async (body: object = { total_cents: 1000 }): Promise<number> =>
  (await post('/v1/invoices', body)).json.id;
const pay = (invoice_id: number, amount_cents: number, claims: Claims = {}) =>
  post('/v1/payments', { invoice_id, amount_cents }, claims);
const refund = (payment_id: number, amount_cents?: number, claims: Claims = {}) =>
  post('/v1/refunds', { payment_id, ...(amount_cents !== undefined && { amount_cents }) }, claims);
const outcome = ({ status, json }: Answer) => [status, json?.code];
const get = async (target: string) => (await service.send(target)).json;

describe('payments', () => {
  test('POST: 201 with the payment, Location and ETag; the invoice shows the amount [CONTRACT §4]', async () => {
    const id = await invoice();
    const body = { invoice_id: id, amount_cents: 400, method: 'card', reference: 'ch_1' };
    const answer = await post('/v1/payments', body);
    expect(answer.json).toEqual({
      ...body,
      id: expect.any(Number),
      currency: 'USD',
      status: 'succeeded',
      amount_refunded_cents: 0,
      created_at: expect.any(String),
      updated_at: answer.json.created_at,
    });
    expect(answer.headers).toMatchObject({ location: `/v1/payments/${answer.json.id}`, etag: '"1"' });
    expect((await service.send(`/v1/payments/${answer.json.id}`)).text).toBe(answer.text);
    expect(await get(`/v1/invoices/${id}`)).toMatchObject({
      status: 'open',
      amount_paid_cents: 400,
      amount_due_cents: 600,
    });
  });

  test('payments that reach the total: the invoice is paid [CONTRACT §4]', async () => {
    const id = await invoice();
    await pay(id, 999);
    expect((await get(`/v1/invoices/${id}`)).status).toBe('open');
    await pay(id, 1);
    const settled = await get(`/v1/invoices/${id}`);
    expect(settled).toMatchObject({ status: 'paid', amount_paid_cents: 1000, amount_due_cents: 0 });
    expect(settled.paid_at).toBe(settled.updated_at);
  });

  test('an amount above the amount due: 422 amount-exceeds-due with amount_due_cents [CONTRACT §4]', async () => {
    const id = await invoice();
    await pay(id, 300);
    const answer = await pay(id, 701);
    expect(outcome(answer)).toEqual([422, 'amount-exceeds-due']);
    expect(answer.json.amount_due_cents).toBe(700);
    expect(answer.json.errors).toEqual([expect.objectContaining({ pointer: '/amount_cents' })]);
    const v2 = await post('/v2/payments', { invoice_id: id, amount: { amount: 701 } });
    expect(v2.json).toMatchObject({ code: 'amount-exceeds-due', amount_due: { amount: 700, currency: 'USD' } });
    expect(v2.json.errors).toEqual([expect.objectContaining({ pointer: '/amount/amount' })]);
  });

  test('an invoice that is not open: 422 invoice-not-payable [CONTRACT §4]', async () => {
    const draft = await invoice({ total_cents: 5, status: 'draft' });
    const canceled = await invoice();
    await post(`/v1/invoices/${canceled}/cancel`);
    const settled = await invoice({ total_cents: 5 });
    await pay(settled, 5);
    for (const id of [draft, canceled, settled])
      expect(outcome(await pay(id, 1))).toEqual([422, 'invoice-not-payable']);
  });

  test.each([
    [{ amount_cents: 0 }, '/amount_cents'],
    [{ amount_cents: -1 }, '/amount_cents'],
    [{ amount_cents: 1.5 }, '/amount_cents'],
    [{ amount_cents: undefined }, '/amount_cents'],
    [{ invoice_id: 'x' }, '/invoice_id'],
    [{ method: 'cheque' }, '/method'],
    [{ nope: 1 }, '/nope'],
  ])('a payment with %j: 422 at %s [CONTRACT §4]', async (change, pointer) => {
    const answer = await post('/v1/payments', { invoice_id: await invoice(), amount_cents: 1, ...change });
    expect([answer.status, answer.json.errors[0].pointer]).toEqual([422, pointer]);
  });

  test('an id in the body, unknown or of another account: 404, and the detail names the field [CONTRACT §2]', async () => {
    const { json } = await pay(await invoice(), 1);
    const detailOf = ({ status, json: { code, detail } }: Answer) => [status, code, detail];
    const expected = (noun: string, field: string) => [404, 'not-found', `No ${noun} has the id in ${field}.`];
    for (const [id, claims] of [
      [1, {}],
      [json.invoice_id, { account_id: 'acct_2' }],
    ] as const) {
      expect(detailOf(await pay(id, 1, claims))).toEqual(expected('invoice', 'invoice_id'));
      const item = { invoice_id: id, description: 'x', unit_amount_cents: 1 };
      const added = await service.send('/v1/invoice-items', { method: 'POST', body: item, claims });
      expect(detailOf(added)).toEqual(expected('invoice', 'invoice_id'));
    }
    expect(detailOf(await refund(1, 1))).toEqual(expected('payment', 'payment_id'));
    expect(detailOf(await refund(json.id, 1, { account_id: 'acct_2' }))).toEqual(expected('payment', 'payment_id'));
  });

  test.each(['PATCH', 'PUT', 'DELETE'])('%s of a payment: 405 [CONTRACT §4]', async (method) => {
    const { json } = await pay(await invoice(), 1);
    expect(outcome(await service.send(`/v1/payments/${json.id}`, { method }))).toEqual([405, 'method-not-allowed']);
  });

  test('nested payments: pagination and fields apply, a payment of another invoice is 404 [§1, CONTRACT §2]', async () => {
    const id = await invoice();
    const other = (await pay(await invoice(), 1)).json;
    const paid = [(await pay(id, 1)).json, (await pay(id, 2)).json, (await pay(id, 3)).json];
    expect((await get(`/v1/invoices/${id}/payments`)).data).toEqual(paid);
    expect((await get(`/v1/payments?invoice_id=${id}`)).data).toEqual(paid);
    const first = await get(`/v1/invoices/${id}/payments?limit=2&fields=id`);
    expect(first.data).toEqual([{ id: paid[0].id }, { id: paid[1].id }]);
    expect((await get(`/v1/invoices/${id}/payments?limit=2&after=${first.next_cursor}`)).data).toEqual([paid[2]]);
    expect(await get(`/v1/invoices/${id}/payments?page=2&per_page=2`)).toMatchObject({
      total_count: 3,
      data: [paid[2]],
    });
    expect(await get(`/v1/invoices/${id}/payments/${paid[0].id}`)).toEqual(paid[0]);
    expect(await get(`/v1/invoices/${id}/payments/${paid[0].id}?fields=amount_cents`)).toEqual({ amount_cents: 1 });
    expect(outcome(await service.send(`/v1/invoices/${id}/payments/${other.id}`))).toEqual([404, 'not-found']);
    expect(outcome(await service.send(`/v1/invoices/${id}/payments/${other.id}?fields=id`))).toEqual([
      404,
      'not-found',
    ]);
    expect((await service.send(`/v1/invoices/${id}/payments?invoice_id=${id}`)).status).toBe(422);
  });
});

describe('refunds', () => {
  test('a partial refund, then the rest: the payment shows both, the invoice is unchanged [CONTRACT §4]', async () => {
    const id = await invoice();
    const payment = (await pay(id, 1000)).json;
    const before = await get(`/v1/invoices/${id}`);
    const part = await refund(payment.id, 300);
    expect(part.json).toEqual({
      id: expect.any(Number),
      payment_id: payment.id,
      amount_cents: 300,
      reason: null,
      invoice_id: id,
      currency: 'USD',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await get(`/v1/payments/${payment.id}`)).toMatchObject({
      status: 'partially_refunded',
      amount_refunded_cents: 300,
    });
    expect((await refund(payment.id)).json.amount_cents).toBe(700);
    expect(await get(`/v1/payments/${payment.id}`)).toMatchObject({ status: 'refunded', amount_refunded_cents: 1000 });
    expect(await get(`/v1/invoices/${id}`)).toEqual(before);
    expect((await get(`/v1/refunds?payment_id=${payment.id}`)).data).toHaveLength(2);
    expect((await get(`/v1/refunds/${part.json.id}`)).amount_cents).toBe(300);
  });

  test('an amount above what is left to refund: 422 amount-exceeds-refundable [CONTRACT §4]', async () => {
    const { json } = await pay(await invoice(), 500);
    await refund(json.id, 400);
    const answer = await refund(json.id, 101);
    expect(outcome(answer)).toEqual([422, 'amount-exceeds-refundable']);
    expect(answer.json.amount_refundable_cents).toBe(100);
    await refund(json.id, 100);
    expect(outcome(await refund(json.id))).toEqual([422, 'amount-exceeds-refundable']);
  });

  test('v2 refund, no amount: all that is left; another currency: 422 [CONTRACT §4, CONTRACT §12]', async () => {
    const { json } = await pay(await invoice(), 500);
    const wrong = await post('/v2/refunds', { payment_id: json.id, amount: { amount: 1, currency: 'EUR' } });
    expect(wrong.json.errors).toEqual([expect.objectContaining({ pointer: '/amount/currency' })]);
    const all = await post('/v2/refunds', { payment_id: json.id, reason: 'asked' });
    expect(all.json).toMatchObject({ amount: { amount: 500, currency: 'USD' }, reason: 'asked' });
  });
});

describe('conditional rules', () => {
  const backdate = async (payment_id: number, days: number) => {
    const created_at = new Date(Date.now() - days * 86_400_000 - 1000).toISOString();
    await service.client.send(
      new UpdateCommand({
        TableName: service.environment['PAYMENTS_TABLE'],
        Key: { account_id: 'acct_1', id: payment_id },
        UpdateExpression: 'SET created_at = :at',
        ExpressionAttributeValues: { ':at': created_at },
      }),
    );
  };
  const machine = { role: undefined, scope: 'payments:write refunds:write' };

  test('amount, a payment by a clerk: at the limit 201, above it 403; a machine client: 201 [CONTRACT §2]', async () => {
    const id = await invoice({ total_cents: 1_000_000 });
    expect((await pay(id, 100_000, { role: 'clerk' })).status).toBe(201);
    const denied = await pay(id, 100_001, { role: 'clerk' });
    expect([...outcome(denied), denied.json.rule]).toEqual([403, 'policy-denied', 'amount']);
    expect((await pay(id, 100_001, machine)).status).toBe(201);
    expect((await pay(id, 100_001, { role: 'accountant' })).status).toBe(201);
    expect(denied.json.detail).toBe('Rule amount: a clerk may not create a payment above 100000 cents.');
  });

  const settle = (id: number, claims: Claims, change: object = {}) =>
    service.send(`/v1/invoices/${id}`, { method: 'PATCH', body: { status: 'paid', ...change }, claims });

  test('amount, an invoice settled by a clerk: with the limit due 200, with more 403 [CONTRACT §2]', async () => {
    const [id, machines] = [await invoice({ total_cents: 100_001 }), await invoice({ total_cents: 100_001 })];
    const denied = await settle(id, { role: 'clerk' });
    expect([...outcome(denied), denied.json.rule]).toEqual([403, 'policy-denied', 'amount']);
    expect(denied.json.detail).toBe('Rule amount: a clerk may not settle more than 100000 cents.');
    await pay(id, 1, { role: 'clerk' });
    expect((await settle(id, { role: 'clerk' })).json.status).toBe('paid');
    expect((await settle(machines, { ...machine, scope: 'invoices:write' })).status).toBe(200);
  });

  test('amount, a PATCH of status and total: the new total counts; of the total alone: allowed [CONTRACT §2]', async () => {
    const id = await invoice({ total_cents: 1 });
    expect(outcome(await settle(id, { role: 'clerk' }, { total_cents: 100_001 }))).toEqual([403, 'policy-denied']);
    expect((await settle(id, { role: 'clerk' }, { status: 'open', total_cents: 100_001 })).status).toBe(200);
    const tag = { 'if-match': '"9"' };
    const [body, claims] = [{ status: 'paid' }, { role: 'clerk' }];
    const stale = await service.send(`/v1/invoices/${id}`, { method: 'PATCH', body, headers: tag, claims });
    expect(outcome(stale)).toEqual([403, 'policy-denied']);
    const foreign = { role: 'clerk', account_id: 'acct_2' };
    expect(outcome(await settle(id, foreign))).toEqual([404, 'not-found']);
  });

  test('submitter, a refund by the accountant who created the payment: 403; by an admin or a machine: 201 [CONTRACT §2]', async () => {
    const id = await invoice();
    const { json } = await pay(id, 500, { sub: 'ann', role: 'accountant' });
    const denied = await refund(json.id, 1, { sub: 'ann', role: 'accountant' });
    expect([...outcome(denied), denied.json.rule]).toEqual([403, 'policy-denied', 'submitter']);
    for (const claims of [
      { sub: 'bea', role: 'accountant' },
      { sub: 'ann', role: 'admin' },
      { ...machine, sub: 'ann' },
    ]) {
      expect((await refund(json.id, 1, claims)).status).toBe(201);
    }
  });

  test('time, a refund of a payment older than 180 days: 403, except for an admin [CONTRACT §2]', async () => {
    const { json } = await pay(await invoice(), 500);
    await backdate(json.id, 179);
    expect((await refund(json.id, 1, { sub: 'bea', role: 'accountant' })).status).toBe(201);
    await backdate(json.id, 180);
    for (const claims of [{ sub: 'bea', role: 'accountant' }, machine]) {
      const denied = await refund(json.id, 1, claims);
      expect([...outcome(denied), denied.json.rule]).toEqual([403, 'policy-denied', 'time']);
    }
    expect((await refund(json.id, 1, { role: 'admin' })).status).toBe(201);
  });

  test('a conditional rule and a state rule both fail: 403; the invoice is missing: 404 first [CONTRACT §2]', async () => {
    expect(outcome(await pay(1, 999_999, { role: 'clerk' }))).toEqual([404, 'not-found']);
    const draft = await invoice({ status: 'draft' });
    expect(outcome(await pay(draft, 999_999, { role: 'clerk' }))).toEqual([403, 'policy-denied']);
  });
});

describe('an invoice with payments', () => {
  const paidInPart = async () => {
    const id = await invoice();
    await pay(id, 400);
    return `/v1/invoices/${id}`;
  };
  const patch = (target: string, body: object) => service.send(target, { method: 'PATCH', body });

  test('a total below the amount paid: 422; equal to it: the invoice is paid [CONTRACT §4]', async () => {
    const path = await paidInPart();
    expect(outcome(await patch(path, { total_cents: 399 }))).toEqual([422, 'total-below-paid']);
    expect((await patch(path, { total_cents: 400 })).json).toMatchObject({ status: 'paid', amount_due_cents: 0 });
  });

  test('another currency: 422 currency-locked; cancel or DELETE: 409 [CONTRACT §4]', async () => {
    const path = await paidInPart();
    expect(outcome(await patch(path, { currency: 'EUR' }))).toEqual([422, 'currency-locked']);
    const v2 = await patch(path.replace('v1', 'v2'), { total: { amount: 1000, currency: 'EUR' } });
    expect(v2.json.errors[0].pointer).toBe('/total/currency');
    expect(outcome(await post(`${path}/cancel`))).toEqual([409, 'invoice-not-cancelable']);
    expect(outcome(await service.send(path, { method: 'DELETE' }))).toEqual([409, 'invoice-has-payments']);
    await patch(path, { status: 'paid' });
    expect(outcome(await service.send(path, { method: 'DELETE' }))).toEqual([409, 'invoice-has-payments']);
  });
});
