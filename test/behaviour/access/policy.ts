import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Answer, Caller, Service } from '#test/acceptance/suite/service.ts';
import { createInvoice, outcome, patch, pay, put, refund } from '../support/requests.ts';

const CLERK = { role: 'clerk' };
const MACHINE = { scope: 'invoices:write payments:write refunds:write' };
const denied = ({ status, json: { code, rule, detail } }: Answer) => [status, code, rule, detail];
const AMOUNT = [
  403,
  'policy-denied',
  'amount',
  'Rule amount: a clerk may not create a payment above 100000 minor units.',
];
const SETTLE = [403, 'policy-denied', 'amount', 'Rule amount: a clerk may not settle more than 100000 minor units.'];

const settle = (service: Service, id: number, as: Caller, change: object = {}) =>
  patch(service, `/v1/invoices/${id}`, { status: 'paid', ...change }, { as });

export const policy: Group = {
  name: 'Conditional rules',
  checks: [
    check('CONTRACT §2', 'amount, a payment by a clerk: at the limit 201, above it 403', async (service) => {
      const id = await createInvoice(service, { total_cents: 1_000_000 });
      expect((await pay(service, id, 100_000, CLERK)).status).toBe(201);
      expect(denied(await pay(service, id, 100_001, CLERK))).toEqual(AMOUNT);
      expect((await service.send(`/v1/invoices/${id}`)).json.amount_paid_cents).toBe(100_000);
    }),
    ...[MACHINE, { role: 'accountant' }, { role: 'admin' }].map((as) =>
      check('CONTRACT §2', `amount, a payment above the limit by ${JSON.stringify(as)}: 201`, async (service) => {
        const id = await createInvoice(service, { total_cents: 1_000_000 });
        expect((await pay(service, id, 100_001, as)).status).toBe(201);
      }),
    ),
    check('CONTRACT §2', 'amount, a clerk whose token also has scopes: 403 above the limit', async (service) => {
      const id = await createInvoice(service, { total_cents: 1_000_000 });
      expect(denied(await pay(service, id, 100_001, { ...CLERK, scope: 'payments:write' }))).toEqual(AMOUNT);
    }),
    check(
      'CONTRACT §2',
      'amount, a clerk settles an invoice: 200 if the limit is due, 403 if more is due',
      async (service) => {
        const id = await createInvoice(service, { total_cents: 100_001 });
        expect(denied(await settle(service, id, CLERK))).toEqual(SETTLE);
        expect((await service.send(`/v1/invoices/${id}`)).json.status).toBe('open');
        await pay(service, id, 1, CLERK);
        expect((await settle(service, id, CLERK)).json.status).toBe('paid');
      },
    ),
    check('CONTRACT §2', 'amount, a machine client settles an invoice above the limit: 200', async (service) => {
      const id = await createInvoice(service, { total_cents: 100_001 });
      expect((await settle(service, id, MACHINE)).json.status).toBe('paid');
    }),
    ...([patch, put] as const).flatMap((write) => [
      check(
        'CONTRACT §2',
        `amount, a ${write.name.toUpperCase()} of status and total: the larger of the old and the new amount counts`,
        async (service) => {
          for (const [before, total_cents] of [
            [1, 100_001],
            [100_001, 1],
            [100_001, 100_001],
          ]) {
            const path = `/v1/invoices/${await createInvoice(service, { total_cents: before })}`;
            expect(denied(await write(service, path, { status: 'paid', total_cents }, { as: CLERK }))).toEqual(SETTLE);
            expect((await service.send(path)).json).toMatchObject({ status: 'open', total_cents: before });
          }
          const path = `/v1/invoices/${await createInvoice(service, { total_cents: 1 })}`;
          const body = { status: 'paid', total_cents: 100_000 };
          expect((await write(service, path, body, { as: CLERK })).json.status).toBe('paid');
        },
      ),
      check(
        'CONTRACT §2',
        `amount, a ${write.name.toUpperCase()} of the total alone by a clerk: permitted, also when it settles`,
        async (service) => {
          const id = await createInvoice(service, { total_cents: 1 });
          const path = `/v1/invoices/${id}`;
          const change = async (total_cents: number) =>
            (await write(service, path, { total_cents }, { as: CLERK })).json;
          expect((await change(500_000)).total_cents).toBe(500_000);
          await pay(service, id, 1, CLERK);
          expect((await change(1)).status).toBe('paid');
        },
      ),
    ]),
    check('CONTRACT §2', 'amount, a PUT of status paid without a total: the old amount counts', async (service) => {
      const id = await createInvoice(service, { total_cents: 100_001 });
      expect(denied(await put(service, `/v1/invoices/${id}`, { status: 'paid' }, { as: CLERK }))).toEqual(SETTLE);
    }),
    check('CONTRACT §2', 'amount, another currency: the limit counts its minor units', async (service) => {
      const id = await createInvoice(service, { total_cents: 1_000_000, currency: 'JPY' });
      expect((await pay(service, id, 100_000, CLERK)).status).toBe(201);
      expect(denied(await pay(service, id, 100_001, CLERK))).toEqual(AMOUNT);
    }),
    check('CONTRACT §2', 'a conditional rule and a stale If-Match: 403', async (service) => {
      const id = await createInvoice(service, { total_cents: 100_001 });
      const sent = { as: CLERK, headers: { 'if-match': '"9"' } };
      expect(denied(await patch(service, `/v1/invoices/${id}`, { status: 'paid' }, sent))).toEqual(SETTLE);
    }),
    check('CONTRACT §2', 'a conditional rule on an invoice of another account: 404', async (service) => {
      const id = await createInvoice(service, { total_cents: 100_001 });
      const as = { ...CLERK, account: 'other' };
      expect(outcome(await settle(service, id, as))).toEqual([404, 'not-found']);
      expect(outcome(await pay(service, id, 100_001, as))).toEqual([404, 'not-found']);
    }),
    check(
      'CONTRACT §2',
      'a conditional rule and a state rule: 403; the invoice does not exist: 404',
      async (service) => {
        expect(outcome(await pay(service, 1, 999_999, CLERK))).toEqual([404, 'not-found']);
        const draft = await createInvoice(service, { status: 'draft' });
        expect(denied(await pay(service, draft, 999_999, CLERK))).toEqual(AMOUNT);
      },
    ),
    check('CONTRACT §2', 'submitter, an accountant refunds a payment of the same sub: 403', async (service) => {
      const ann = { sub: 'ann', role: 'accountant' };
      const { json } = await pay(service, await createInvoice(service), 500, ann);
      const answer = await refund(service, json.id, 1, ann);
      expect(denied(answer).slice(0, 3)).toEqual([403, 'policy-denied', 'submitter']);
      expect(answer.json.detail).toMatch(/^Rule submitter: /);
      expect((await service.send(`/v1/payments/${json.id}`)).json.amount_refunded_cents).toBe(0);
    }),
    ...[
      { sub: 'bea', role: 'accountant' },
      { sub: 'ann', role: 'admin' },
      { sub: 'ann', scope: 'refunds:write' },
    ].map((as) =>
      check('CONTRACT §2', `submitter, ${JSON.stringify(as)} refunds a payment of ann: 201`, async (service) => {
        const { json } = await pay(service, await createInvoice(service), 500, { sub: 'ann', role: 'accountant' });
        expect((await refund(service, json.id, 1, as)).status).toBe(201);
      }),
    ),
  ],
};
