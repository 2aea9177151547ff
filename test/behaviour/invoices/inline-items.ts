import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { outcome, patch, pointersOf, post, put, remove, times, totalOf } from '../support/requests.ts';

/** The amounts of an invoice with items of one version. */
interface Form {
  readonly version: 'v1' | 'v2';
  readonly total: string;
  readonly unit: string;
  amount(cents: number): unknown;
}

const V1: Form = { version: 'v1', total: 'total_cents', unit: 'unit_amount_cents', amount: (cents) => cents };
const V2: Form = { version: 'v2', total: 'total', unit: 'unit_amount', amount: (amount) => ({ amount }) };
const FORMS = [V1, V2];
const MAX = 999_999_999_999;

const item = ({ unit, amount }: Form, cents: number, more: object = {}) => ({
  description: 'Work',
  [unit]: amount(cents),
  ...more,
});

const send = (service: Service, { version }: Form, body: object, headers = {}) =>
  post(service, `/${version}/invoices`, body, { headers });

const itemsOf = async (service: Service, { version }: Form, id: number) =>
  (await service.send(`/${version}/invoice-items?invoice_id=${id}&limit=100`)).json.data;

const creations = FORMS.flatMap((form) => {
  const { version, total, unit, amount } = form;
  const money = (cents: number) => (version === 'v1' ? cents : { amount: cents, currency: 'USD' });
  return [
    check(
      'CONTRACT §4',
      `${version}, items in POST: created in their order, the total is their sum`,
      async (service) => {
        const items = [item(form, 250, { quantity: 4, description: 'A' }), item(form, 7, { description: 'B' })];
        const { status, headers, json } = await send(service, form, { status: 'draft', items });
        expect([status, headers['location'], headers['etag']]).toEqual([201, `/${version}/invoices/${json.id}`, '"1"']);
        expect(json).toMatchObject({ status: 'draft', [total]: money(1007) });
        expect(json).not.toHaveProperty('items');
        const read = await service.send(headers['location'] as string);
        expect([read.json, read.headers['etag']]).toEqual([json, '"1"']);
        const stored = await itemsOf(service, form, json.id);
        const common = { id: expect.any(Number), invoice_id: json.id, created_at: json.created_at };
        expect(stored).toEqual([
          { ...common, description: 'A', quantity: 4, [unit]: money(250), ...sum(form, money(1000), json) },
          { ...common, description: 'B', quantity: 1, [unit]: money(7), ...sum(form, money(7), json) },
        ]);
        const member = await service.send(`/${version}/invoice-items/${stored[1].id}`);
        expect([member.json, member.headers['etag']]).toEqual([stored[1], '"1"']);
      },
    ),
    check('CONTRACT §4', `${version}, a total with items: 201 if it is their sum, otherwise 422`, async (service) => {
      const items = [item(form, 5), item(form, 6)];
      expect((await send(service, form, { items, [total]: amount(11) })).json[total]).toEqual(money(11));
      for (const cents of [0, 10, 12]) {
        const answer = await send(service, form, { items, [total]: amount(cents) });
        expect([...outcome(answer), ...pointersOf(answer)]).toEqual([422, 'validation-failed', `/${total}`]);
      }
    }),
    check('CONTRACT §4', `${version}, items: [] is the same as no items`, async (service) => {
      const body = { [total]: amount(12), description: 'x' };
      const [empty, none] = [await send(service, form, { ...body, items: [] }), await send(service, form, body)];
      const { id, created_at, updated_at } = none.json;
      expect({ ...empty.json, id, created_at, updated_at }).toEqual(none.json);
      expect(await itemsOf(service, form, empty.json.id)).toEqual([]);
      const { json } = await send(service, form, { items: [] });
      expect(json[total]).toEqual(money(0));
    }),
    check('CONTRACT §4', `${version}, read-only fields of an item: ignored; invoice_id: 422`, async (service) => {
      const name = version === 'v1' ? 'amount_cents' : 'amount';
      const ignored = { id: 1, created_at: 'x', updated_at: null, [name]: -1 };
      const { status, json } = await send(service, form, { items: [item(form, 5, ignored)] });
      const [stored] = await itemsOf(service, form, json.id);
      expect([status, stored.id === 1, stored[name]]).toEqual([201, false, money(5)]);
      const answer = await send(service, form, { items: [item(form, 5), item(form, 5, { invoice_id: json.id })] });
      expect(answer.json.errors).toMatchObject([{ pointer: '/items/1/invoice_id', code: 'unknown-field' }]);
    }),
    check('CONTRACT §4', `${version}, PATCH or PUT with items: 422 at /items, nothing changes`, async (service) => {
      const items = [item(form, 5)];
      const before = await send(service, form, { items });
      const path = `/${version}/invoices/${before.json.id}`;
      for (const write of [patch, put]) {
        const answer = await write(service, path, { items });
        expect(answer.json.errors).toMatchObject([{ pointer: '/items', code: 'unknown-field' }]);
        expect((await service.send(path)).text).toBe(before.text);
      }
    }),
    check('CONTRACT §4', `${version}, 95 items: 201; 96 items: 422 at /items, no invoice`, async (service) => {
      const before = await totalOf(service, '/invoices');
      const items = (count: number) => times(count, (i) => item(form, i));
      const { status, json } = await send(service, form, { items: items(95) });
      expect([status, json[total]]).toEqual([201, money((95 * 94) / 2)]);
      const prices = (await itemsOf(service, form, json.id)).map((one: Record<string, unknown>) => one[unit]);
      expect(prices).toEqual(times(95, money));
      const refused = await send(service, form, { items: items(96) });
      expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'validation-failed', '/items']);
      expect(await totalOf(service, '/invoices')).toBe(before + 1);
      const path = `/v1/invoices/${json.id}`;
      const more = { ...item(V1, 1), invoice_id: json.id };
      expect(pointersOf(await post(service, '/v1/invoice-items', more))).toEqual(['/invoice_id']);
      expect((await remove(service, path)).status).toBe(204);
      expect(await itemsOf(service, form, json.id)).toEqual([]);
    }),
    check('CONTRACT §4', `${version}, a sum above the largest total: 422 at /items`, async (service) => {
      const largest = await send(service, form, { items: [item(form, MAX - 1), item(form, 1)] });
      expect(largest.json[total]).toEqual(money(MAX));
      for (const items of [[item(form, MAX), item(form, 1)], [item(form, MAX, { quantity: 1_000_000 })]])
        expect(pointersOf(await send(service, form, { items }))).toEqual(['/items']);
    }),
    check('CONTRACT §4', `${version}, violations in items: each at its own pointer, all at once`, async (service) => {
      const items = [item(form, 1, { quantity: 0, description: 7 }), 5, { [unit]: amount(-1) }, item(form, 1)];
      const answer = await send(service, form, { items, status: 'paid', due_date: 'x' });
      const price = version === 'v1' ? '/items/2/unit_amount_cents' : '/items/2/unit_amount/amount';
      const own = ['/items/0/description', '/items/0/quantity', '/items/1', '/items/2/description', price];
      expect(pointersOf(answer).sort()).toEqual(['/due_date', ...own, '/status'].sort());
      for (const value of [null, {}, 'x', 1])
        expect(pointersOf(await send(service, form, { items: value }))).toEqual(['/items']);
    }),
  ];
});

/** The amount and the last field of an item, as {@link creations} expects them. */
const sum = ({ version }: Form, amount: unknown, { updated_at }: { updated_at: string }) => ({
  [version === 'v1' ? 'amount_cents' : 'amount']: amount,
  updated_at,
});

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const line = (unit_amount: object) => ({ description: 'Work', unit_amount });

const currencies = [
  check('CONTRACT §4', 'v1, the currency of an invoice: that of its items', async (service) => {
    const { json } = await send(service, V1, { currency: 'EUR', items: [item(V1, 5)] });
    expect([json.currency, (await itemsOf(service, V2, json.id))[0].amount]).toEqual(['EUR', eur(5)]);
    const answer = await send(service, V1, { items: [item(V1, 5, { currency: 'USD' })] });
    expect(pointersOf(answer)).toEqual(['/items/0/currency']);
  }),
  check('CONTRACT §4', 'v2, items in the currency of the total: 201', async (service) => {
    const body = { total: eur(8), items: [line({ amount: 5 }), line(eur(3))] };
    const { json } = await send(service, V2, body);
    expect(json.total).toEqual(eur(8));
    expect((await itemsOf(service, V2, json.id)).map(({ amount }: { amount: object }) => amount)).toEqual([
      eur(5),
      eur(3),
    ]);
  }),
  check('CONTRACT §4', 'v2, an item in another currency: 422 at its currency, and a wrong total', async (service) => {
    const items = [line({ amount: 5 }), line(eur(3)), line({ amount: 1, currency: 'SEK' })];
    const foreign = ['/items/1/unit_amount/currency', '/items/2/unit_amount/currency'];
    for (const total of [undefined, { amount: 9 }, { amount: 9, currency: 'USD' }])
      expect(pointersOf(await send(service, V2, { total, items }))).toEqual(foreign);
    expect(pointersOf(await send(service, V2, { total: { amount: 8 }, items })).sort()).toEqual([...foreign, '/total']);
    expect(pointersOf(await send(service, V2, { total: eur(9), items }))).toEqual([foreign[1]]);
    expect(pointersOf(await send(service, V2, { items: [line({ amount: 1, currency: 'eur' })] }))).toEqual([
      '/items/0/unit_amount/currency',
    ]);
  }),
];

export const inlineItems: Group = {
  name: 'Items in a new invoice',
  checks: [...creations, ...currencies],
};
