import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { openService, test, testWith } from '#test/support/service/open-service.ts';
import { issued, newSeries } from '../numbers/series.ts';
import { query } from '../support/pages.ts';
import {
  addItem,
  created,
  createInvoice,
  idOf,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  refund,
  remove,
} from '../support/requests.ts';

const service = await openService();

const read = async (path: string) => (await service.send(path)).json;
const voidPayment = (id: number, body?: object, sent = {}) => post(service, `/v1/payments/${id}/void`, body, sent);
const reopen = (id: number, body?: object, sent = {}) => post(service, `/v1/invoices/${id}/reopen`, body, sent);

/** An invoice of 100 with a payment of this amount; the ids of both. */
const paidBy = async (amount: number, as = {}): Promise<readonly [invoice: number, payment: number]> => {
  const id = await createInvoice(service, { total_cents: 100 });
  return [id, (await pay(service, id, amount, as)).json.id];
};

const OPEN = { status: 'open', settlement: null, paid_at: null };

describe('Settlement', () => {
  test('payments that reach the total: payments; PATCH or PUT of status: external [CONTRACT §4]', async () => {
    const [id] = await paidBy(100);
    expect(await read(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid', settlement: 'payments' });
    for (const change of [patch, put]) {
      const path = await created(service, 'invoices', { total_cents: 100 });
      expect(await read(path)).toMatchObject(OPEN);
      const { json } = await change(service, path, { status: 'paid', total_cents: 100 });
      expect(json).toMatchObject({ status: 'paid', settlement: 'external', amount_due_cents: 0 });
    }
  });

  test('a total that is reduced to the amount paid: payments [CONTRACT §4]', async () => {
    const [id] = await paidBy(40);
    expect((await patch(service, `/v1/invoices/${id}`, { total_cents: 40 })).json).toMatchObject({
      status: 'paid',
      settlement: 'payments',
    });
  });
});

describe('Void of a payment', () => {
  test('the payment of a part: the invoice owes the amount again [CONTRACT §4]', async () => {
    const [id, payment_id] = await paidBy(40);
    const { status, json, headers } = await voidPayment(payment_id, { reason: 'Twice' });
    expect([status, json, headers['etag']]).toMatchObject([
      200,
      { status: 'voided', voided_at: expect.stringMatching(/Z$/), void_reason: 'Twice', amount_cents: 40 },
      '"2"',
    ]);
    expect(await read(`/v1/payments/${payment_id}`)).toEqual(json);
    expect(await read(`/v1/invoices/${id}`)).toMatchObject({ ...OPEN, amount_paid_cents: 0, amount_due_cents: 100 });
  });

  for (const body of [undefined, {}, { reason: null }]) {
    test(`the payment that settled the invoice, ${JSON.stringify(body) ?? 'without a body'}: open again, and payable [CONTRACT §4]`, async () => {
      const [id, payment_id] = await paidBy(100);
      expect((await voidPayment(payment_id, body)).json).toMatchObject({ status: 'voided', void_reason: null });
      expect(await read(`/v1/invoices/${id}`)).toMatchObject({ ...OPEN, amount_paid_cents: 0, amount_due_cents: 100 });
      expect((await pay(service, id, 100)).status).toBe(201);
      expect(await read(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid', settlement: 'payments' });
    });
  }

  test('of an invoice that was settled outside the service: it stays paid [CONTRACT §4]', async () => {
    const [id, payment_id] = await paidBy(40);
    await patch(service, `/v1/invoices/${id}`, { status: 'paid' });
    expect((await voidPayment(payment_id)).status).toBe(200);
    expect(await read(`/v1/invoices/${id}`)).toMatchObject({
      ...{ status: 'paid', settlement: 'external' },
      ...{ amount_paid_cents: 0, amount_due_cents: 0 },
    });
  });

  test('of an issued invoice: its number stays [CONTRACT §4]', async () => {
    const { id, number } = await issued(service, idOf(await newSeries(service)));
    await voidPayment((await pay(service, id, 100)).json.id);
    expect(await read(`/v1/invoices/${id}`)).toMatchObject({ ...OPEN, number });
  });

  test('twice, also with another reason: 200, and nothing changes [CONTRACT §4]', async () => {
    const [id, payment_id] = await paidBy(100);
    const { json } = await voidPayment(payment_id, { reason: 'a' });
    const again = await voidPayment(payment_id, { reason: 'b' });
    expect([again.status, again.json, again.headers['etag']]).toEqual([200, json, '"2"']);
    expect((await service.send(`/v1/invoices/${id}`)).headers['etag']).toBe('"3"');
  });

  test('a repeated key: the stored response; no body and {} are the same [CONTRACT §8, §12]', async () => {
    const [, payment_id] = await paidBy(100);
    const sent = { headers: { 'idempotency-key': randomUUID() } };
    const first = await voidPayment(payment_id, undefined, sent);
    const again = await voidPayment(payment_id, {}, sent);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(outcome(await voidPayment(payment_id, { reason: 'x' }, sent))).toEqual([422, 'idempotency-key-reused']);
  });

  test('with refunds: 409 payment-has-refunds; a refund of a voided payment: 422 payment-voided [CONTRACT §4]', async () => {
    const [, refunded] = await paidBy(100);
    await refund(service, refunded, 1);
    expect(outcome(await voidPayment(refunded))).toEqual([409, 'payment-has-refunds']);
    const [, voided] = await paidBy(100);
    await voidPayment(voided);
    expect(outcome(await refund(service, voided, 1))).toEqual([422, 'payment-voided']);
  });

  test('an unknown field, and a reason that is no text: 422 [CONTRACT §4]', async () => {
    const [, payment_id] = await paidBy(100);
    for (const [body, pointer] of [
      [{ reasons: 'x' }, '/reasons'],
      [{ reason: 7 }, '/reason'],
      [{ reason: 'x'.repeat(1001) }, '/reason'],
    ] as const)
      expect(pointersOf(await voidPayment(payment_id, body))).toEqual([pointer]);
  });

  test('If-Match with an earlier ETag: 412; a dry run: nothing changes [CONTRACT §7, §13]', async () => {
    const [id, payment_id] = await paidBy(100);
    const refused = await voidPayment(payment_id, {}, { headers: { 'if-match': '"7"' } });
    expect(outcome(refused)).toEqual([412, 'precondition-failed']);
    const dry = await post(service, `/v1/payments/${payment_id}/void?dry_run=true`);
    expect([dry.status, dry.json.status]).toEqual([200, 'voided']);
    expect(await read(`/v1/invoices/${id}`)).toMatchObject({ status: 'paid', amount_paid_cents: 100 });
  });

  test('an invoice whose only payment is voided: its items and total change, its currency does not, and it stays [CONTRACT §4]', async () => {
    const id = await createInvoice(service, { total_cents: 0 });
    await addItem(service, id, 100);
    const payment_id = (await pay(service, id, 40)).json.id;
    await voidPayment(payment_id);
    expect((await addItem(service, id, 5)).status).toBe(201);
    const flat = await createInvoice(service, { total_cents: 100 });
    await voidPayment((await pay(service, flat, 40)).json.id);
    const path = `/v1/invoices/${flat}`;
    expect((await patch(service, path, { total_cents: 30 })).json).toMatchObject({ ...OPEN, total_cents: 30 });
    expect(outcome(await patch(service, path, { currency: 'EUR' }))).toEqual([422, 'currency-locked']);
    expect(outcome(await remove(service, path))).toEqual([409, 'invoice-has-payments']);
    expect((await post(service, `${path}/cancel`)).json).toMatchObject({ status: 'canceled' });
    expect(outcome(await remove(service, path))).toEqual([409, 'invoice-has-payments']);
  });

  test('the events: payment.voided with invoice.reopened or invoice.updated [CONTRACT §14]', async () => {
    const [id, payment_id] = await paidBy(100);
    await voidPayment(payment_id, { reason: 'x' });
    const last = async (resource_id: number) =>
      (await read(`/v1/events${query({ resource_id })}`)).data.at(-1) as Record<string, unknown>;
    expect(await last(payment_id)).toMatchObject({
      type: 'payment.voided',
      changed: ['status', 'void_reason', 'voided_at'],
    });
    expect(await last(id)).toMatchObject({
      type: 'invoice.reopened',
      changed: ['amount_due_cents', 'amount_paid_cents', 'paid_at', 'settlement', 'status'],
    });
  });

  testWith('roles')('a clerk: only a payment of their own, an accountant any [CONTRACT §2]', async () => {
    const clerk = { role: 'clerk', sub: 'clerk_1' };
    const [, own] = await paidBy(40, clerk);
    const [, foreign] = await paidBy(40);
    const refused = await voidPayment(foreign, {}, { as: clerk });
    expect([...outcome(refused), refused.json.rule]).toEqual([403, 'policy-denied', 'submitter']);
    expect((await voidPayment(own, {}, { as: clerk })).status).toBe(200);
    expect((await voidPayment(foreign, {}, { as: { role: 'accountant' } })).status).toBe(200);
  });
});

describe('Reopening an invoice', () => {
  test('settled outside the service: open again, with an event [CONTRACT §4, §14]', async () => {
    const id = await createInvoice(service, { total_cents: 100 });
    await patch(service, `/v1/invoices/${id}`, { status: 'paid' });
    const { status, json } = await reopen(id);
    expect([status, json]).toMatchObject([200, { ...OPEN, amount_due_cents: 100 }]);
    const again = await reopen(id, {});
    expect([again.status, again.json]).toEqual([200, json]);
    const { data } = await read(`/v1/events${query({ resource_id: id })}`);
    expect(data.map(({ type }: { type: string }) => type)).toEqual([
      'invoice.created',
      'invoice.paid',
      'invoice.reopened',
    ]);
    expect((await pay(service, id, 100)).status).toBe(201);
  });

  test('settled by payments, a draft, a canceled one: 409 invoice-not-reopenable [CONTRACT §4]', async () => {
    const [paid] = await paidBy(100);
    const refused = await reopen(paid);
    expect([...outcome(refused), refused.json.detail]).toEqual([
      409,
      'invoice-not-reopenable',
      expect.stringContaining('payments'),
    ]);
    const draft = await createInvoice(service, { status: 'draft' });
    expect(outcome(await reopen(draft))).toEqual([409, 'invoice-not-reopenable']);
    await post(service, `/v1/invoices/${draft}/cancel`);
    expect(outcome(await reopen(draft))).toEqual([409, 'invoice-not-reopenable']);
    expect(pointersOf(await reopen(draft, { reason: 'x' }))).toEqual(['/reason']);
  });

  testWith('roles')('by a clerk: 403 submitter [CONTRACT §2]', async () => {
    const id = await createInvoice(service, { total_cents: 100 });
    await patch(service, `/v1/invoices/${id}`, { status: 'paid' });
    const refused = await reopen(id, {}, { as: { role: 'clerk' } });
    expect([...outcome(refused), refused.json.rule]).toEqual([403, 'policy-denied', 'submitter']);
    expect((await reopen(id, {}, { as: { role: 'accountant' } })).status).toBe(200);
  });
});
