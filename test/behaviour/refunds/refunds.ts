import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { createInvoice, outcome, pay, pointersOf, post, refund } from '../support/requests.ts';

const get = async (service: Service, target: string) => (await service.send(target)).json;
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

export const refunds: Group = {
  name: 'Refunds',
  checks: [
    check('CONTRACT §4', 'refunds of a part, then of the rest: the invoice is unchanged', async (service) => {
      const id = await createInvoice(service);
      const paid = (await pay(service, id, 1000)).json;
      const before = await service.send(`/v1/invoices/${id}`);
      const part = await refund(service, paid.id, 300);
      const { id: refund_id, created_at } = part.json;
      expect(part.json).toEqual({
        ...{ id: expect.any(Number), payment_id: paid.id, amount_cents: 300, reason: null, invoice_id: id },
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
    }),
    check('CONTRACT §4', 'a payment is refunded: the amount due of its invoice stays', async (service) => {
      const id = await createInvoice(service, { total_cents: 500 });
      const { json } = await pay(service, id, 400);
      await refund(service, json.id, 400);
      const answer = await pay(service, id, 101);
      expect([...outcome(answer), answer.json.amount_due_cents]).toEqual([422, 'amount-exceeds-due', 100]);
    }),
    check('CONTRACT §4', 'an amount above what is left to refund: 422, no refund', async (service) => {
      const { id } = await payment(service);
      await refund(service, id, 400);
      const answer = await refund(service, id, 101);
      expect(outcome(answer)).toEqual([422, 'amount-exceeds-refundable']);
      expect([answer.json.amount_refundable_cents, ...pointersOf(answer)]).toEqual([100, '/amount_cents']);
      expect(await get(service, `/v1/payments/${id}`)).toMatchObject({ amount_refunded_cents: 400 });
      await refund(service, id, 100);
      expect(outcome(await refund(service, id))).toEqual([422, 'amount-exceeds-refundable']);
      expect((await get(service, `/v1/refunds?payment_id=${id}`)).data).toHaveLength(2);
    }),
    check(
      'CONTRACT §4',
      'a v2 refund without an amount: refunds the rest; with another currency: 422',
      async (service) => {
        const { id } = await payment(service);
        const wrong = await post(service, '/v2/refunds', { payment_id: id, amount: { amount: 1, currency: 'EUR' } });
        expect([wrong.status, ...pointersOf(wrong)]).toEqual([422, '/amount/currency']);
        const all = await post(service, '/v2/refunds', { payment_id: id, reason: 'asked' });
        expect(all.json).toMatchObject({ amount: { amount: 500, currency: 'USD' }, reason: 'asked' });
      },
    ),
    ...INVALID.map(([change, pointer]) =>
      check('CONTRACT §4', `a refund with ${JSON.stringify(change)}: 422 at ${pointer}`, async (service) => {
        const answer = await post(service, '/v1/refunds', { payment_id: 1, ...change });
        expect([answer.status, ...pointersOf(answer)]).toEqual([422, pointer]);
      }),
    ),
  ],
};
