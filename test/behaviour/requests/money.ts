import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { createInvoice, outcome, patch, pay, pointersOf, post, put } from '../support/requests.ts';

const INVALID: readonly (readonly [body: object, pointer: string])[] = [
  [{ total_cents: 1 }, '/total_cents'],
  [{ currency: 'EUR' }, '/currency'],
  [{ total: 5 }, '/total'],
  [{ total: null }, '/total'],
  [{ total: {} }, '/total/amount'],
  [{ total: { currency: 'EUR' } }, '/total/amount'],
  [{ total: { amount: -1 } }, '/total/amount'],
  [{ total: { amount: '1' } }, '/total/amount'],
  [{ total: { amount: 1, currency: 'xxx' } }, '/total/currency'],
  [{ total: { amount: 1, cents: 1 } }, '/total/cents'],
];

/** Values of `currency` that are not JPY. */
const OTHER_CURRENCIES = ['USD', null, 'jpy', '', 'JPY ', 0, false, {}, ['JPY'], 'not a currency'];

/** A JPY invoice and a payment of it. */
const paidInYen = async (service: Service) => {
  const invoice_id = await createInvoice(service, { total_cents: 1000, currency: 'JPY' });
  return { invoice_id, payment_id: (await pay(service, invoice_id, 100)).json.id };
};

/** The creations whose currency is that of another resource. */
const CREATIONS = [
  ['payments', 'invoice_id'],
  ['refunds', 'payment_id'],
] as const;

const foreignCurrencies = CREATIONS.flatMap(([collection, owner]) => [
  check(
    'CONTRACT §4',
    `v1 ${collection} with another currency: 422 at /currency, nothing is created`,
    async (service) => {
      const owners = await paidInYen(service);
      const body = { [owner]: owners[owner], amount_cents: 5 };
      for (const currency of OTHER_CURRENCIES) {
        const refused = await post(service, `/v1/${collection}`, { ...body, currency });
        expect([currency, ...outcome(refused), ...pointersOf(refused)]).toEqual([
          ...[currency, 422, 'validation-failed', '/currency'],
        ]);
        expect(refused.json.errors[0].detail).toBe('The currency must be JPY.');
      }
      const { json } = await service.send(`/v1/payments/${owners.payment_id}`);
      expect(json.amount_refunded_cents).toBe(0);
      expect((await service.send(`/v1/invoices/${owners.invoice_id}`)).json.amount_paid_cents).toBe(100);
      const named = await post(service, `/v1/${collection}`, { ...body, currency: 'JPY' });
      expect([named.status, named.json.currency]).toEqual([201, 'JPY']);
    },
  ),
  check('CONTRACT §12', `v1 ${collection}, another currency under a used key: the record decides`, async (service) => {
    const owners = await paidInYen(service);
    const body = { [owner]: owners[owner], amount_cents: 5 };
    const headers = { 'idempotency-key': randomUUID() };
    const send = (more: object) => post(service, `/v1/${collection}`, { ...body, ...more }, { headers });
    expect(outcome(await send({ currency: 'USD' }))).toEqual([422, 'validation-failed']);
    const first = await send({});
    expect(first.status).toBe(201);
    expect(outcome(await send({ currency: 'USD' }))).toEqual([422, 'idempotency-key-reused']);
    expect((await send({})).text).toBe(first.text);
  }),
  check('CONTRACT §4', `v1 ${collection} with another currency for an unknown id: 404`, async (service) => {
    const answer = await post(service, `/v1/${collection}`, { [owner]: 1, amount_cents: 5, currency: null });
    expect(outcome(answer)).toEqual([404, 'not-found']);
  }),
]);

export const money: Group = {
  name: 'Amounts and currencies',
  checks: [
    check('CONTRACT §4', 'an invoice: has money objects instead of X_cents and currency', async (service) => {
      const { json, headers } = await post(service, '/v2/invoices', { total: { amount: 1250, currency: 'EUR' } });
      const amount = (value: number) => ({ amount: value, currency: 'EUR' });
      expect(json).toMatchObject({ total: amount(1250), amount_paid: amount(0), amount_due: amount(1250) });
      for (const name of ['total_cents', 'currency', 'amount_due_cents', 'amount_paid_cents'])
        expect(json).not.toHaveProperty(name);
      expect(headers['location']).toBe(`/v2/invoices/${json.id}`);
      const v1 = await service.send(`/v1/invoices/${json.id}`);
      expect(v1.json).toMatchObject({ total_cents: 1250, currency: 'EUR', amount_due_cents: 1250 });
    }),
    check('CONTRACT §4', 'an empty v2 invoice: its total is 0 USD', async (service) => {
      expect((await post(service, '/v2/invoices', {})).json.total).toEqual({ amount: 0, currency: 'USD' });
    }),
    ...INVALID.map(([body, pointer]) =>
      check('CONTRACT §12', `a v2 invoice with ${JSON.stringify(body)}: 422 at ${pointer}`, async (service) => {
        const answer = await post(service, '/v2/invoices', body);
        expect([answer.status, answer.json.errors[0].pointer]).toEqual([422, pointer]);
      }),
    ),
    check('CONTRACT §4', 'a money object in v1: 422 at its field', async (service) => {
      const answer = await post(service, '/v1/invoices', { total: { amount: 1 } });
      expect([answer.status, ...pointersOf(answer)]).toEqual([422, '/total']);
    }),
    check(
      'CONTRACT §4',
      'a total without currency: PATCH keeps the currency, PUT sets the default',
      async (service) => {
        const { headers } = await post(service, '/v2/invoices', { total: { amount: 1, currency: 'EUR' } });
        const path = headers['location'] as string;
        expect((await patch(service, path, { total: { amount: 2 } })).json.total).toEqual({
          amount: 2,
          currency: 'EUR',
        });
        expect((await put(service, path, { total: { amount: 3 } })).json.total).toEqual({ amount: 3, currency: 'USD' });
      },
    ),
    check('CONTRACT §4', 'PUT without total: 0 in the default currency', async (service) => {
      const { headers } = await post(service, '/v2/invoices', { total: { amount: 1, currency: 'EUR' } });
      const { json } = await put(service, headers['location'] as string, {});
      expect(json.total).toEqual({ amount: 0, currency: 'USD' });
    }),
    check('CONTRACT §12', 'an item: money has the currency of the invoice, otherwise 422', async (service) => {
      const id = await createInvoice(service, { currency: 'EUR' });
      const body = { invoice_id: id, description: 'x', unit_amount: { amount: 5 } };
      const { json } = await post(service, '/v2/invoice-items', { ...body, quantity: 2 });
      const amount = { amount: 10, currency: 'EUR' };
      expect(json).toMatchObject({ unit_amount: { amount: 5, currency: 'EUR' }, amount });
      const wrong = await post(service, '/v2/invoice-items', { ...body, unit_amount: { amount: 5, currency: 'USD' } });
      expect([wrong.status, ...pointersOf(wrong)]).toEqual([422, '/unit_amount/currency']);
      const path = `/v2/invoice-items/${json.id}`;
      expect((await service.send(`${path}?fields=amount`)).json).toEqual({ amount });
      const list = await service.send(`/v2/invoice-items?invoice_id=${id}&fields=amount,id`);
      expect(list.json.data).toEqual([{ id: json.id, amount }]);
      const patched = await patch(service, path, { unit_amount: { amount: 6, currency: 'SEK' } });
      expect([patched.status, ...pointersOf(patched)]).toEqual([422, '/unit_amount/currency']);
      const replaced = await put(service, path, { ...body, unit_amount: { amount: 6, currency: 'EUR' } });
      expect(replaced.json.amount).toEqual({ amount: 6, currency: 'EUR' });
    }),
    check('CONTRACT §12', 'a payment: money has the currency of the invoice, otherwise 422', async (service) => {
      const invoice_id = await createInvoice(service, { total_cents: 10, currency: 'EUR' });
      const send = (amount: object) => post(service, '/v2/payments', { invoice_id, amount });
      const wrong = await send({ amount: 1, currency: 'USD' });
      expect([...outcome(wrong), ...pointersOf(wrong)]).toEqual([422, 'validation-failed', '/amount/currency']);
      for (const amount of [{ amount: 1 }, { amount: 2, currency: 'EUR' }]) {
        const { status, json } = await send(amount);
        const expected = { amount: { currency: 'EUR', ...amount }, amount_refunded: { amount: 0, currency: 'EUR' } };
        expect([status, json]).toMatchObject([201, expected]);
      }
      expect((await service.send(`/v2/invoices/${invoice_id}`)).json.amount_paid).toEqual({
        amount: 3,
        currency: 'EUR',
      });
    }),
    ...foreignCurrencies,
    check('CONTRACT §4', 'a payment and its refund: the same amounts in both versions', async (service) => {
      const { json } = await pay(service, await createInvoice(service), 7);
      const refunded = await post(service, '/v2/refunds', { payment_id: json.id, amount: { amount: 3 } });
      expect(refunded.json.amount).toEqual({ amount: 3, currency: 'USD' });
      const v1 = await service.send(`/v1/refunds/${refunded.json.id}`);
      expect(v1.json).toMatchObject({ amount_cents: 3, currency: 'USD' });
      const v2 = await service.send(`/v2/payments/${json.id}`);
      expect(v2.json).toMatchObject({ amount: { amount: 7 }, amount_refunded: { amount: 3, currency: 'USD' } });
    }),
  ],
};
