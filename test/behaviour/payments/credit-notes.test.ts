import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { openService, test } from '#test/support/service/open-service.ts';
import { issued, newSeries } from '../numbers/series.ts';
import { idsOf, query } from '../support/pages.ts';
import {
  addItem,
  created,
  createInvoice,
  credit,
  idOf,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  remove,
} from '../support/requests.ts';

const service = await openService();

const read = async (path: string) => (await service.send(path)).json;
const invoiceOf = (id: number) => read(`/v1/invoices/${id}`);

/** An invoice of 100 of which a payment and credit notes have these amounts. */
const invoice = async (paid: number, ...credited: readonly number[]): Promise<number> => {
  const id = await createInvoice(service, { total_cents: 100 });
  if (paid > 0) await pay(service, id, paid);
  for (const amount of credited) await credit(service, id, amount);
  return id;
};
/** The payment of an invoice. */
const paymentOf = async (id: number): Promise<number> => (await read(`/v1/payments?invoice_id=${id}`)).data[0].id;
const settledOutside = async (...credited: readonly number[]): Promise<number> => {
  const id = await invoice(0, ...credited);
  await patch(service, `/v1/invoices/${id}`, { status: 'paid' });
  return id;
};

const OPEN = { status: 'open', settlement: null, paid_at: null, canceled_at: null };
const PAID = { status: 'paid', settlement: 'payments', amount_due_cents: 0, canceled_at: null };
const CANCELED = { status: 'canceled', settlement: null, amount_due_cents: 0, paid_at: null };
const NO_NUMBER = { series_id: null, issue_date: null, number: null, issued_at: null, bill_to: null };

describe('Credit notes', () => {
  test('POST: 201 with the credit note, Location and ETag; the invoice owes less [CONTRACT §4]', async () => {
    const invoice_id = await createInvoice(service, { total_cents: 100, currency: 'EUR' });
    const body = { invoice_id, amount_cents: 30, reason: 'Late', external_id: randomUUID(), metadata: { a: 'b' } };
    const answer = await post(service, '/v1/credit-notes', body);
    const { id, created_at } = answer.json;
    expect(answer.json).toEqual({
      ...{ ...body, ...NO_NUMBER, id: expect.any(Number), currency: 'EUR', applied_cents: 30, refundable_cents: 0 },
      ...{ created_at: expect.any(String), updated_at: created_at },
    });
    expect([answer.status, answer.headers]).toMatchObject([201, { location: `/v1/credit-notes/${id}`, etag: '"1"' }]);
    expect((await service.send(`/v1/credit-notes/${id}`)).text).toBe(answer.text);
    expect(await invoiceOf(invoice_id)).toMatchObject({ ...OPEN, amount_credited_cents: 30, amount_due_cents: 70 });
    expect(await read(`/v2/credit-notes/${id}`)).toMatchObject({
      amount: { amount: 30, currency: 'EUR' },
      applied: { amount: 30, currency: 'EUR' },
      refundable: { amount: 0, currency: 'EUR' },
    });
    expect((await read(`/v2/invoices/${invoice_id}`)).amount_credited).toEqual({ amount: 30, currency: 'EUR' });
  });

  for (const [paid, amount, applied, after] of [
    [0, 30, 30, { ...OPEN, amount_due_cents: 70 }],
    [60, 30, 30, { ...OPEN, amount_due_cents: 10 }],
    [60, 40, 40, PAID],
    [60, 80, 40, PAID],
    [100, 30, 0, PAID],
    [0, 100, 100, CANCELED],
  ] as const) {
    test(`${amount} of 100, of which ${paid} are paid: ${applied} applied, and ${after.status} [CONTRACT §4]`, async () => {
      const id = await invoice(paid);
      expect((await credit(service, id, amount)).json).toMatchObject({
        amount_cents: amount,
        applied_cents: applied,
        refundable_cents: amount - applied,
      });
      const { updated_at, ...stored } = await invoiceOf(id);
      expect(stored).toMatchObject({ ...after, amount_paid_cents: paid, amount_credited_cents: amount });
      if (after === CANCELED) expect(stored.canceled_at).toBe(updated_at);
    });
  }

  test('without an amount: the rest; then nothing is left to credit [CONTRACT §4]', async () => {
    const id = await invoice(100, 30);
    expect((await credit(service, id)).json).toMatchObject({ amount_cents: 70, refundable_cents: 70 });
    for (const amount of [undefined, 1])
      expect(outcome(await credit(service, id, amount))).toEqual([422, 'amount-exceeds-creditable']);
    expect(await invoiceOf(id)).toMatchObject({ ...PAID, amount_credited_cents: 100 });
  });

  test('more than is left to credit: 422 with amount_creditable_cents, no credit note [CONTRACT §4]', async () => {
    const id = await invoice(0, 30);
    const refused = await credit(service, id, 71);
    expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'amount-exceeds-creditable', '/amount_cents']);
    expect(refused.json.amount_creditable_cents).toBe(70);
    const v2 = await post(service, '/v2/credit-notes', { invoice_id: id, amount: { amount: 71 } });
    expect(v2.json.amount_creditable).toEqual({ amount: 70, currency: 'USD' });
    expect((await read(`/v1/credit-notes?invoice_id=${id}`)).data).toHaveLength(1);
  });

  test('of an invoice that is settled outside: nothing is applied, and it stays paid [CONTRACT §4]', async () => {
    const id = await settledOutside();
    expect((await credit(service, id, 100)).json).toMatchObject({ applied_cents: 0, refundable_cents: 100 });
    expect(await invoiceOf(id)).toMatchObject({ status: 'paid', settlement: 'external', amount_credited_cents: 100 });
  });

  test('of a draft and of a canceled invoice: 422 invoice-not-creditable [CONTRACT §4]', async () => {
    const draft = await createInvoice(service, { status: 'draft', total_cents: 100 });
    for (const id of [draft, await invoice(0, 100)]) {
      const refused = await credit(service, id, 1);
      expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'invoice-not-creditable', '/invoice_id']);
    }
  });

  for (const [change, pointer] of [
    [{ amount_cents: 0 }, '/amount_cents'],
    [{ amount_cents: 1.5 }, '/amount_cents'],
    [{ amount_cents: null }, '/amount_cents'],
    [{ invoice_id: 'x' }, '/invoice_id'],
    [{ invoice_id: undefined }, '/invoice_id'],
    [{ reason: 7 }, '/reason'],
    [{ issue_date: '2026-02-30' }, '/issue_date'],
    [{ number: 'A-1' }, '/number'],
    [{ applied_cents: 2 }, '/applied_cents'],
    [{ refundable_cents: 1 }, '/refundable_cents'],
    [{ currency: 'EUR' }, '/currency'],
  ] as const) {
    test(`a credit note with ${JSON.stringify(change)}: 422 at ${pointer} [CONTRACT §4]`, async () => {
      const body = { invoice_id: await invoice(0), amount_cents: 1, ...change };
      const answer = await post(service, '/v1/credit-notes', body);
      expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]]);
    });
  }

  test('a repeated key: the stored response, and one credit note [CONTRACT §8]', async () => {
    const id = await invoice(0);
    const sent = { headers: { 'idempotency-key': randomUUID() } };
    const first = await credit(service, id, 40, {}, sent);
    expect((await credit(service, id, 40, {}, sent)).text).toBe(first.text);
    expect(await invoiceOf(id)).toMatchObject({ amount_credited_cents: 40 });
  });
});

describe('An invoice with credit notes', () => {
  test('cancel, DELETE, another currency, items: refused [CONTRACT §4, §12]', async () => {
    const id = await invoice(0, 30);
    const path = `/v1/invoices/${id}`;
    expect(outcome(await post(service, `${path}/cancel`))).toEqual([409, 'invoice-not-cancelable']);
    expect(outcome(await remove(service, path))).toEqual([409, 'invoice-has-credit-notes']);
    expect(outcome(await patch(service, path, { currency: 'EUR' }))).toEqual([422, 'currency-locked']);
    const itemized = await createInvoice(service, {});
    const item = `/v1/invoice-items/${(await addItem(service, itemized, 100)).json.id}`;
    await credit(service, itemized, 30);
    const writes = [
      await addItem(service, itemized, 1),
      await patch(service, item, { quantity: 2 }),
      await put(service, item, { invoice_id: itemized, description: 'x', unit_amount_cents: 1 }),
      await remove(service, item),
    ];
    for (const refused of writes) expect(outcome(refused)).toEqual([409, 'invoice-has-credit-notes']);
  });

  test('DELETE: a number, payments and credit notes are named in this order; settled outside too [CONTRACT §4]', async () => {
    const both = await invoice(40, 30);
    expect(outcome(await remove(service, `/v1/invoices/${both}`))).toEqual([409, 'invoice-has-payments']);
    const outside = await settledOutside(30);
    expect(outcome(await remove(service, `/v1/invoices/${outside}`))).toEqual([409, 'invoice-has-credit-notes']);
    const canceled = await invoice(0, 100);
    expect(outcome(await remove(service, `/v1/invoices/${canceled}`))).toEqual([409, 'invoice-has-credit-notes']);
    const { id } = await issued(service, idOf(await newSeries(service)));
    await credit(service, id, 1);
    expect(outcome(await remove(service, `/v1/invoices/${id}`))).toEqual([409, 'invoice-issued']);
  });

  for (const [paid, after] of [
    [0, CANCELED],
    [20, PAID],
  ] as const) {
    test(`a total that is reduced to ${paid} paid and 30 credited: ${after.status}; below: 422 [CONTRACT §4]`, async () => {
      const path = `/v1/invoices/${await invoice(paid, 30)}`;
      const total_cents = paid + 30;
      for (const change of [{}, { status: 'paid' }]) {
        const refused = await patch(service, path, { total_cents: total_cents - 1, ...change });
        expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'total-below-paid', '/total_cents']);
      }
      expect((await patch(service, path, { total_cents })).json).toMatchObject(after);
    });
  }

  test('a total that is reduced to what is credited, with status paid: settled outside [CONTRACT §4]', async () => {
    const path = `/v1/invoices/${await invoice(0, 30)}`;
    const { json } = await patch(service, path, { total_cents: 30, status: 'paid' });
    expect(json).toMatchObject({ status: 'paid', settlement: 'external' });
  });

  test('a payment: at most what credit notes leave [CONTRACT §4]', async () => {
    const id = await invoice(0, 30);
    const refused = await pay(service, id, 71);
    expect([...outcome(refused), refused.json.amount_due_cents]).toEqual([422, 'amount-exceeds-due', 70]);
    expect((await pay(service, id, 70)).status).toBe(201);
    expect(await invoiceOf(id)).toMatchObject({ ...PAID, amount_paid_cents: 70 });
  });

  for (const { credited, voided, after, type } of [
    { credited: [30], voided: 60, after: { ...OPEN, amount_due_cents: 30 }, type: 'invoice.reopened' },
    { credited: [70], voided: 60, after: PAID, type: 'invoice.updated' },
    { credited: [100], voided: 100, after: CANCELED, type: 'invoice.canceled' },
  ]) {
    test(`paid in full, then ${credited} credited; a void of ${voided}: ${after.status} [CONTRACT §4, §14]`, async () => {
      const id = await createInvoice(service, { total_cents: 100 });
      const payment_id = (await pay(service, id, voided)).json.id;
      if (voided < 100) await pay(service, id, 100 - voided);
      for (const amount of credited) await credit(service, id, amount);
      expect((await post(service, `/v1/payments/${payment_id}/void`)).status).toBe(200);
      expect(await invoiceOf(id)).toMatchObject({ ...after, amount_paid_cents: 100 - voided });
      const { data } = await read(`/v1/events${query({ resource_id: id })}`);
      expect(data.at(-1).type).toBe(type);
    });
  }

  test('reopening: open with what credit notes leave; 409 when they leave nothing [CONTRACT §4]', async () => {
    const part = await settledOutside(30);
    expect((await post(service, `/v1/invoices/${part}/reopen`)).json).toMatchObject({ ...OPEN, amount_due_cents: 70 });
    const all = await settledOutside(30);
    await credit(service, all);
    expect(outcome(await post(service, `/v1/invoices/${all}/reopen`))).toEqual([409, 'invoice-not-reopenable']);
    const canceled = await invoice(0, 100);
    expect(outcome(await post(service, `/v1/invoices/${canceled}/reopen`))).toEqual([409, 'invoice-not-reopenable']);
  });

  test('a refund of a payment: as without credit notes, and a payment with a refund is not voided [CONTRACT §4]', async () => {
    const id = await invoice(100, 30);
    const payment_id = await paymentOf(id);
    expect((await post(service, '/v1/refunds', { payment_id, amount_cents: 30 })).status).toBe(201);
    expect(await invoiceOf(id)).toMatchObject({ ...PAID, amount_paid_cents: 100, amount_credited_cents: 30 });
    expect(outcome(await post(service, `/v1/payments/${payment_id}/void`))).toEqual([409, 'payment-has-refunds']);
  });
});

describe('Numbers of credit notes', () => {
  test('invoices and credit notes of one series: one interval of numbers, and the filter finds them [CONTRACT §4]', async () => {
    const series_id = idOf(await newSeries(service));
    const { id, number } = await issued(service, series_id);
    const { json } = await credit(service, id, 30, { series_id });
    const other = await issued(service, series_id);
    const prefix = number.slice(0, -'00001'.length);
    expect([number, json.number, other['number']]).toEqual(['1', '2', '3'].map((n) => `${prefix}0000${n}`));
    expect(json).toMatchObject({ series_id, issued_at: json.created_at, issue_date: json.created_at.slice(0, 10) });
    expect(await read(`/v1/number-series/${series_id}`)).toMatchObject({ last_number: 3 });
    expect(idsOf(await service.send(`/v1/credit-notes?number=${json.number}`))).toEqual([json.id]);
    expect(await invoiceOf(id)).toMatchObject({ number });
  });

  test('bill_to: of the invoice, else of its customer, else null; null without a number [CONTRACT §4]', async () => {
    const series_id = idOf(await newSeries(service));
    const path = await created(service, 'customers', { name: 'Ada', tax_id: 'GB1' });
    const invoice_ids = [
      (await issued(service, series_id, { customer_id: idOf(path) }))['id'],
      await createInvoice(service, { total_cents: 100, customer_id: idOf(path) }),
      await createInvoice(service, { total_cents: 100 }),
    ];
    await patch(service, path, { name: 'Grace' });
    const names = [];
    for (const id of invoice_ids) names.push((await credit(service, id, 1, { series_id })).json.bill_to?.name);
    expect(names).toEqual(['Ada', 'Grace', undefined]);
    expect((await credit(service, invoice_ids[0], 1)).json).toMatchObject(NO_NUMBER);
  });

  test('a closed series, a date out of order, an unknown series: refused, and no number is taken [CONTRACT §4]', async () => {
    const path = await newSeries(service);
    const series_id = idOf(path);
    const id = await invoice(0);
    const refused = async (body: object) => outcome(await credit(service, id, 1, body));
    expect(await refused({ series_id, issue_date: '2999-01-01' })).toEqual([422, 'issue-date-out-of-order']);
    expect(await refused({ series_id, amount_cents: 101 })).toEqual([422, 'amount-exceeds-creditable']);
    await patch(service, path, { status: 'closed' });
    expect(await refused({ series_id })).toEqual([422, 'series-closed']);
    const unknown = await credit(service, id, 1, { series_id: 7 });
    expect([...outcome(unknown), unknown.json.detail]).toEqual([
      404,
      'not-found',
      expect.stringContaining('series_id'),
    ]);
    expect(await read(path)).toMatchObject({ last_number: null });
  });

  test('a dry run: the number is null, and none is taken; a series with a credit note is in use [CONTRACT §4, §13]', async () => {
    const path = await newSeries(service);
    const body = { invoice_id: await invoice(0), amount_cents: 30, series_id: idOf(path) };
    const dry = await post(service, '/v1/credit-notes?dry_run=true', body);
    expect([dry.status, dry.json]).toMatchObject([201, { id: null, number: null, applied_cents: 30 }]);
    expect(await read(path)).toMatchObject({ last_number: null });
    expect((await post(service, '/v1/credit-notes', body)).status).toBe(201);
    expect(outcome(await remove(service, path))).toEqual([409, 'series-in-use']);
  });
});
