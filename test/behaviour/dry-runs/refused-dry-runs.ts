import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { CSV, complete } from '../exports/completed-export.ts';
import { type Make, makers } from '../support/makers.ts';
import type { Call } from '../support/prerequisites.ts';
import { call, changesNothing, clause, dryHeader, dryRunOf, send, sendBoth } from './calls.ts';

const paid = async ({ invoice, pay }: Make, amount = 1000) => {
  const invoice_id = await invoice({ total_cents: 1000 });
  return { invoice_id, payment_id: await pay(invoice_id, amount) };
};

/** A request that a rule or a state refuses, by the code of its problem. */
const REFUSALS: Readonly<Record<string, (make: Make, service: Service) => Promise<Call>>> = {
  'invoice-not-cancelable': async (make) => call('POST', `invoices/${(await paid(make)).invoice_id}/cancel`),
  'invoice-has-payments': async (make) => call('DELETE', `invoices/${(await paid(make, 1)).invoice_id}`),
  'invoice-closed': async (make) => call('PATCH', `invoices/${(await paid(make)).invoice_id}`, { description: 'x' }),
  'invalid-transition': async (make) => call('PATCH', `invoices/${await make.invoice()}`, { status: 'draft' }),
  'total-below-paid': async (make) =>
    call('PATCH', `invoices/${(await paid(make, 500)).invoice_id}`, { total_cents: 499 }),
  'currency-locked': async (make) =>
    call('PATCH', `invoices/${(await paid(make, 500)).invoice_id}`, { currency: 'EUR' }),
  'customer-in-use': async (make) => {
    const id = await make.customer();
    await make.invoice({ customer_id: id });
    return call('DELETE', `customers/${id}`);
  },
  'invoice-not-payable': async (make) =>
    call('POST', 'payments', { invoice_id: await make.invoice({ status: 'draft' }), amount_cents: 1 }),
  'amount-exceeds-due': async (make) =>
    call('POST', 'payments', { invoice_id: await make.invoice(), amount_cents: 101 }),
  'amount-exceeds-refundable': async (make) =>
    call('POST', 'refunds', { payment_id: (await paid(make)).payment_id, amount_cents: 1001 }),
  'policy-denied': async (make) =>
    call('POST', 'refunds', { payment_id: (await paid(make)).payment_id }, { role: 'accountant' }),
  'insufficient-scope': async () =>
    call('POST', 'exports', { type: 'refunds', format: 'csv' }, { scope: 'exports:write exports:read events:read' }),
  'not-found': async () => call('POST', 'invoices', { customer_id: 1 }),
  'export-not-cancelable': async (_, service) => call('POST', `exports/${(await complete(service, CSV)).id}/cancel`),
};

const UNROUTED = [
  ['PATCH', '/v1/payments/1', 405],
  ['DELETE', '/v1/customers', 405],
  ['POST', '/health', 405],
  ['POST', '/v1/nonsense', 404],
  ['POST', '/customers', 404],
  ['POST', '/v1/c%75stomers', 404],
] as const;

export const refusedDryRuns: Group = {
  name: 'Refused dry runs',
  checks: [
    ...Object.entries(REFUSALS).map(([code, prepareCall]) =>
      check(clause, `${code}: the same response, with Dry-Run`, async (service) => {
        const refused = await prepareCall(makers(service), service);
        const own: Call = { ...refused, sent: { ...refused.sent, as: {} } };
        const { dry } = await changesNothing(service, own, () => sendBoth(service, refused));
        expect([dry.json.code, dryHeader(dry)]).toEqual([code, 'true']);
      }),
    ),
    ...UNROUTED.map(([method, target, status]) =>
      check(clause, `${method} ${target}, which no endpoint answers: ${status} without Dry-Run`, async (service) => {
        const dry = await send(service, dryRunOf({ target, sent: { method } }));
        expect([dry.status, dryHeader(dry)]).toEqual([status, undefined]);
      }),
    ),
    check(clause, 'GET of an unknown path with dry_run=true: 404 without Dry-Run', async (service) => {
      const answer = await service.send('/v1/nonsense?dry_run=true');
      expect([answer.status, dryHeader(answer)]).toEqual([404, undefined]);
    }),
    check(clause, '20 dry runs and one request under one key: the request executes once', async (service) => {
      const one = call('POST', 'customers', { name: 'Once' });
      const answers = await Promise.all(
        Array.from({ length: 21 }, (_, i) => send(service, i === 10 ? one : dryRunOf(one))),
      );
      const [real] = answers.filter((answer) => dryHeader(answer) === undefined);
      const dry = answers.filter((answer) => dryHeader(answer) === 'true');
      expect([real?.status, real?.headers['idempotent-replayed'], dry.length]).toEqual([201, undefined, 20]);
      for (const { status, text, json, headers } of dry) {
        expect(status).toBe(201);
        if (headers['idempotent-replayed']) expect(text).toBe(real?.text);
        else expect(json.id).toBeNull();
      }
    }),
  ],
};
