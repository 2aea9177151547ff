import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { addItem, createInvoice, outcome, patch, pay, post, put, remove, times } from '../support/requests.ts';

const empty = (service: Service, body: object = {}) => createInvoice(service, body);
const locationOf = async (service: Service, id: number, cents: number) =>
  (await addItem(service, id, cents)).headers['location'] as string;

const CLOSED = times(4, () => [422, 'invoice-closed']);

const STATES: readonly (readonly [
  state: string,
  outcomes: unknown,
  prepare: (service: Service, id: number) => unknown,
])[] = [
  ['paid', CLOSED, (service, id) => patch(service, `/v1/invoices/${id}`, { status: 'paid' })],
  ['canceled', CLOSED, (service, id) => post(service, `/v1/invoices/${id}/cancel`)],
  ['open with payments', times(4, () => [409, 'invoice-has-payments']), (service, id) => pay(service, id, 1)],
];

const writes = async (service: Service, id: number, path: string) => [
  outcome(await addItem(service, id, 1)),
  outcome(await patch(service, path, { quantity: 3 })),
  outcome(await put(service, path, { invoice_id: id, description: 'x', unit_amount_cents: 1 })),
  outcome(await remove(service, path)),
];

const states = [
  ...STATES.map(([state, outcomes, prepare]) =>
    check(
      'CONTRACT §12',
      `a write to items of an invoice that is ${state}: refused, nothing changes`,
      async (service) => {
        const id = await empty(service);
        const path = await locationOf(service, id, 100);
        await prepare(service, id);
        const before = [(await service.send(path)).text, (await service.send(`/v1/invoices/${id}`)).text];
        expect(await writes(service, id, path)).toEqual(outcomes);
        expect([(await service.send(path)).text, (await service.send(`/v1/invoices/${id}`)).text]).toEqual(before);
      },
    ),
  ),
  ...['draft', 'open'].map((status) =>
    check('CONTRACT §4', `a write to items of an invoice that is ${status}: accepted`, async (service) => {
      const id = await empty(service, { status });
      const path = await locationOf(service, id, 100);
      expect((await writes(service, id, path)).map(([code]) => code)).toEqual([201, 200, 200, 204]);
      expect((await service.send(`/v1/invoices/${id}`)).json.total_cents).toBe(1);
    }),
  ),
];

export const invoiceItemStates: Group = { name: 'Items of an invoice in each state', checks: states };
