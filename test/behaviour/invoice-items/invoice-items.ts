import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { addItem, createInvoice, outcome, patch, pointersOf, post, put, remove } from '../support/requests.ts';

const total = async (service: Service, id: number) => (await service.send(`/v1/invoices/${id}`)).json.total_cents;
const empty = (service: Service, body: object = {}) => createInvoice(service, body);
const locationOf = async (service: Service, id: number, cents: number) =>
  (await addItem(service, id, cents)).headers['location'] as string;

const INVALID: readonly (readonly [body: object, pointer: string])[] = [
  [{ quantity: 0 }, '/quantity'],
  [{ quantity: 1_000_001 }, '/quantity'],
  [{ quantity: 1.5 }, '/quantity'],
  [{ unit_amount_cents: -1 }, '/unit_amount_cents'],
  [{ unit_amount_cents: 1_000_000_000_000 }, '/unit_amount_cents'],
  [{ unit_amount_cents: 999_999_999_999, quantity: 2 }, '/unit_amount_cents'],
  [{ description: undefined }, '/description'],
  [{ currency: 'USD' }, '/currency'],
];

const amounts = [
  check('CONTRACT §4', 'an item is created, changed or deleted: the total is the sum of the items', async (service) => {
    const id = await empty(service);
    const item = await addItem(service, id, 250, { quantity: 4 });
    expect(item.json).toMatchObject({ invoice_id: id, quantity: 4, unit_amount_cents: 250, amount_cents: 1000 });
    expect(item.headers).toMatchObject({ location: `/v1/invoice-items/${item.json.id}`, etag: '"1"' });
    const second = await addItem(service, id, 7);
    expect(second.json).toMatchObject({ quantity: 1, amount_cents: 7 });
    expect(await total(service, id)).toBe(1007);
    const path = item.headers['location'] as string;
    expect((await patch(service, path, { quantity: 2 })).json).toMatchObject({ quantity: 2, amount_cents: 500 });
    expect(await total(service, id)).toBe(507);
    const replaced = await put(service, path, { invoice_id: id, description: 'Other', unit_amount_cents: 1 });
    expect(replaced.json).toMatchObject({ description: 'Other', quantity: 1, amount_cents: 1 });
    expect([await total(service, id), (await service.send(path)).text]).toEqual([8, replaced.text]);
    expect((await remove(service, path)).status).toBe(204);
    expect((await service.send(`/v1/invoices/${id}`)).json).toMatchObject({ total_cents: 7, amount_due_cents: 7 });
    expect((await service.send(`/v1/invoice-items?invoice_id=${id}`)).json.data).toEqual([second.json]);
  }),
  check('CONTRACT §4', 'a write to an item: the ETag of its invoice changes, too', async (service) => {
    const id = await empty(service);
    await addItem(service, id, 1);
    expect((await service.send(`/v1/invoices/${id}`)).headers['etag']).toBe('"2"');
  }),
  check(
    'CONTRACT §4',
    'an item for a flat invoice with a total other than 0: 422, nothing changes',
    async (service) => {
      const id = await createInvoice(service, { total_cents: 5 });
      expect(outcome(await addItem(service, id, 5))).toEqual([422, 'validation-failed']);
      expect((await service.send(`/v1/invoice-items?invoice_id=${id}`)).json.data).toEqual([]);
      expect(await total(service, id)).toBe(5);
    },
  ),
  check('CONTRACT §4', 'PATCH of total_cents: 422 unless it is the sum of the items', async (service) => {
    const id = await empty(service);
    const path = `/v1/invoices/${id}`;
    await addItem(service, id, 100);
    const before = await service.send(path);
    const wrong = await patch(service, path, { total_cents: 99 });
    expect([...outcome(wrong), ...pointersOf(wrong)]).toEqual([422, 'validation-failed', '/total_cents']);
    expect((await patch(service, path, { total_cents: 100 })).text).toBe(before.text);
    expect((await put(service, path, {})).json.total_cents).toBe(100);
    expect((await put(service, `/v2/invoices/${id}`, {})).json.total).toEqual({ amount: 100, currency: 'USD' });
  }),
  check('CONTRACT §4', 'its last item is deleted: a new total_cents is accepted', async (service) => {
    const id = await empty(service);
    await remove(service, await locationOf(service, id, 100));
    expect((await patch(service, `/v1/invoices/${id}`, { total_cents: 9 })).json.total_cents).toBe(9);
  }),
  check('CONTRACT §4', 'items whose sum is above the largest total: 422, nothing changes', async (service) => {
    const id = await empty(service);
    await addItem(service, id, 999_999_999_999);
    expect(outcome(await addItem(service, id, 1))).toEqual([422, 'validation-failed']);
    expect(await total(service, id)).toBe(999_999_999_999);
  }),
  ...INVALID.map(([more, pointer]) =>
    check('CONTRACT §4', `an item with ${JSON.stringify(more)}: 422 at ${pointer}`, async (service) => {
      const answer = await addItem(service, await empty(service), 1, more);
      expect([answer.status, ...pointersOf(answer)]).toEqual([422, pointer]);
    }),
  ),
  check('CONTRACT §4', 'PATCH or PUT of an item with another invoice_id: 422, nothing changes', async (service) => {
    const [a, b] = [await empty(service), await empty(service)];
    const path = await locationOf(service, a, 1);
    const before = await service.send(path);
    expect(pointersOf(await patch(service, path, { invoice_id: b }))).toEqual(['/invoice_id']);
    const body = { invoice_id: b, description: 'x', unit_amount_cents: 1 };
    expect(pointersOf(await put(service, path, body))).toEqual(['/invoice_id']);
    expect((await patch(service, path, { invoice_id: a })).text).toBe(before.text);
    expect([await total(service, a), await total(service, b)]).toEqual([1, 0]);
  }),
  check(
    'CONTRACT §4',
    'an invoice has 95 items: item 96 is 422 at /invoice_id; DELETE removes all',
    async (service) => {
      const id = await empty(service, { currency: 'EUR' });
      const paths: string[] = [];
      for (let i = 0; i < 95; i++) paths.push(await locationOf(service, id, 1));
      const refused = await addItem(service, id, 1);
      expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'validation-failed', '/invoice_id']);
      expect(await total(service, id)).toBe(95);
      const list = `/v1/invoice-items?invoice_id=${id}&limit=100`;
      expect((await service.send(list)).json.data).toHaveLength(95);
      const path = `/v1/invoices/${id}`;
      expect((await remove(service, path, { headers: { 'if-match': '"1"' } })).status).toBe(412);
      expect((await remove(service, path, { headers: { 'if-match': '"96"' } })).status).toBe(204);
      expect((await service.send(list)).json.data).toEqual([]);
      for (const item of [paths[0], paths[94]]) expect((await service.send(item as string)).status).toBe(404);
    },
  ),
  check('CONTRACT §4', 'DELETE of a canceled invoice: its items are deleted, too', async (service) => {
    const id = await empty(service);
    const path = await locationOf(service, id, 1);
    await post(service, `/v1/invoices/${id}/cancel`);
    expect((await remove(service, `/v1/invoices/${id}`)).status).toBe(204);
    for (const version of ['/v1', '/v2'])
      expect(outcome(await service.send(path.replace('/v1', version)))).toEqual([404, 'not-found']);
  }),
];

const CURRENCIES: readonly (readonly [method: string, version: string, change: object, pointer: string])[] = [
  ['PATCH', '/v1', { currency: 'SEK' }, '/currency'],
  ['PUT', '/v1', { currency: 'SEK' }, '/currency'],
  ['PATCH', '/v2', { total: { amount: 5, currency: 'SEK' } }, '/total/currency'],
  ['PUT', '/v2', { total: { amount: 5, currency: 'SEK' } }, '/total/currency'],
];

const currencies = CURRENCIES.map(([method, version, change, pointer]) =>
  check('CONTRACT §4', `${method} ${version} of the currency: 422 with items, 200 without`, async (service) => {
    const id = await empty(service, { currency: 'EUR' });
    const item = (await locationOf(service, id, 5)).replace('/v1', '/v2');
    const before = await service.send(item);
    const send = () => service.send(`${version}/invoices/${id}`, { method, body: change });
    const locked = await send();
    expect([...outcome(locked), ...pointersOf(locked)]).toEqual([422, 'currency-locked', pointer]);
    expect(locked.json.detail).toBe('The currency stays EUR: the invoice has items.');
    const after = await service.send(item);
    expect([after.json.amount.currency, after.headers['etag']]).toEqual(['EUR', before.headers['etag']]);
    await remove(service, item);
    expect((await send()).status).toBe(200);
    expect((await service.send(`/v1/invoices/${id}`)).json.currency).toBe('SEK');
  }),
);

export const invoiceItems: Group = { name: 'Invoice items', checks: [...amounts, ...currencies] };
