import { describe, expect } from '@jest/globals';
import { openService, type Service, test, testWith } from '#test/support/service/open-service.ts';
import {
  addItem,
  createInvoice,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  remove,
  times,
  totalOf,
} from '../support/requests.ts';

const service = await openService();

const total = async (service: Service, id: number) => (await service.send(`/v1/invoices/${id}`)).json.total_cents;

const empty = (service: Service, body: object = {}) => createInvoice(service, body);

const locationOf = async (service: Service, id: number, cents: number) =>
  (await addItem(service, id, cents)).headers['location'] as string;

const INVALID: readonly (readonly [body: object, pointer: string])[] = [
  [{ quantity: 0 }, '/quantity'],
  [{ quantity: 1_000_001 }, '/quantity'],
  [{ quantity: -0.5 }, '/quantity'],
  [{ quantity: 1.0000001 }, '/quantity'],
  [{ quantity: 0.0000001 }, '/quantity'],
  [{ quantity: '1.5' }, '/quantity'],
  [{ discount_cents: 2 }, '/discount_cents'],
  [{ discount_cents: -1 }, '/discount_cents'],
  [{ tax_percent: 100.0001 }, '/tax_percent'],
  [{ tax_percent: -1 }, '/tax_percent'],
  [{ tax_percent: 5.00001 }, '/tax_percent'],
  [{ tax_percent: '19' }, '/tax_percent'],
  [{ tax_category: 's' }, '/tax_category'],
  [{ tax_category: '' }, '/tax_category'],
  [{ tax_category: 'ABCDEFGHIJK' }, '/tax_category'],
  [{ unit_amount_cents: -1 }, '/unit_amount_cents'],
  [{ unit_amount_cents: 1_000_000_000_000 }, '/unit_amount_cents'],
  [{ unit_amount_cents: 999_999_999_999, quantity: 2 }, '/unit_amount_cents'],
  [{ description: undefined }, '/description'],
  [{ currency: 'USD' }, '/currency'],
];

const CURRENCIES: readonly (readonly [method: string, version: string, change: object, pointer: string])[] = [
  ['PATCH', '/v1', { currency: 'SEK' }, '/currency'],
  ['PUT', '/v1', { currency: 'SEK' }, '/currency'],
  ['PATCH', '/v2', { total: { amount: 5, currency: 'SEK' } }, '/total/currency'],
  ['PUT', '/v2', { total: { amount: 5, currency: 'SEK' } }, '/total/currency'],
];

describe('Invoice items', () => {
  test('an item is created, changed or deleted: the total is the sum of the items [CONTRACT §4]', async () => {
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
  });

  test('a write to an item: the ETag of its invoice changes, too, unless the total stays [CONTRACT §4]', async () => {
    const id = await empty(service);
    const path = await locationOf(service, id, 1);
    const etag = async () => (await service.send(`/v1/invoices/${id}`)).headers['etag'];
    expect(await etag()).toBe('"2"');
    await patch(service, path, { description: 'Advice' });
    expect(await etag()).toBe('"2"');
    await patch(service, path, { quantity: 2 });
    expect(await etag()).toBe('"3"');
  });

  test('an item for a flat invoice with a total other than 0: 422, nothing changes [CONTRACT §4]', async () => {
    const id = await createInvoice(service, { total_cents: 5 });
    expect(outcome(await addItem(service, id, 5))).toEqual([422, 'validation-failed']);
    expect((await service.send(`/v1/invoice-items?invoice_id=${id}`)).json.data).toEqual([]);
    expect(await total(service, id)).toBe(5);
  });

  test('PATCH of total_cents: 422 unless it is the sum of the items [CONTRACT §4]', async () => {
    const id = await empty(service);
    const path = `/v1/invoices/${id}`;
    await addItem(service, id, 100);
    const before = await service.send(path);
    const wrong = await patch(service, path, { total_cents: 99 });
    expect([...outcome(wrong), ...pointersOf(wrong)]).toEqual([422, 'validation-failed', '/total_cents']);
    expect((await patch(service, path, { total_cents: 100 })).text).toBe(before.text);
    expect((await put(service, path, {})).json.total_cents).toBe(100);
    expect((await put(service, `/v2/invoices/${id}`, {})).json.total).toEqual({ amount: 100, currency: 'USD' });
  });

  test('its last item is deleted: a new total_cents is accepted [CONTRACT §4]', async () => {
    const id = await empty(service);
    await remove(service, await locationOf(service, id, 100));
    expect((await patch(service, `/v1/invoices/${id}`, { total_cents: 9 })).json.total_cents).toBe(9);
  });

  test('items whose sum is above the largest total: 422, nothing changes [CONTRACT §4]', async () => {
    const id = await empty(service);
    await addItem(service, id, 999_999_999_999);
    expect(outcome(await addItem(service, id, 1))).toEqual([422, 'validation-failed']);
    expect(await total(service, id)).toBe(999_999_999_999);
  });

  for (const [more, pointer] of INVALID) {
    test(`an item with ${JSON.stringify(more)}: 422 at ${pointer} [CONTRACT §4]`, async () => {
      const answer = await addItem(service, await empty(service), 1, more);
      expect([answer.status, ...pointersOf(answer)]).toEqual([422, pointer]);
    });
  }

  test('PATCH or PUT of an item with another invoice_id: 422, nothing changes [CONTRACT §4]', async () => {
    const [a, b] = [await empty(service), await empty(service)];
    const path = await locationOf(service, a, 1);
    const before = await service.send(path);
    expect(pointersOf(await patch(service, path, { invoice_id: b }))).toEqual(['/invoice_id']);
    const body = { invoice_id: b, description: 'x', unit_amount_cents: 1 };
    expect(pointersOf(await put(service, path, body))).toEqual(['/invoice_id']);
    expect((await patch(service, path, { invoice_id: a })).text).toBe(before.text);
    expect([await total(service, a), await total(service, b)]).toEqual([1, 0]);
  });

  testWith('fullExtent')(
    'an invoice has 90 items: item 91 is 422 at /invoice_id; DELETE removes all [CONTRACT §4]',
    async () => {
      const id = await empty(service, { currency: 'EUR' });
      const paths: string[] = [];
      for (let i = 0; i < 90; i++) paths.push(await locationOf(service, id, 1));
      const refused = await addItem(service, id, 1);
      expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'validation-failed', '/invoice_id']);
      expect(await total(service, id)).toBe(90);
      const list = `/v1/invoice-items?invoice_id=${id}&limit=100`;
      expect((await service.send(list)).json.data).toHaveLength(90);
      const path = `/v1/invoices/${id}`;
      expect((await remove(service, path, { headers: { 'if-match': '"1"' } })).status).toBe(412);
      expect((await remove(service, path, { headers: { 'if-match': '"91"' } })).status).toBe(204);
      expect((await service.send(list)).json.data).toEqual([]);
      for (const item of [paths[0], paths[89]]) expect((await service.send(item as string)).status).toBe(404);
    },
  );

  test('DELETE of a canceled invoice: its items are deleted, too [CONTRACT §4]', async () => {
    const id = await empty(service);
    const path = await locationOf(service, id, 1);
    await post(service, `/v1/invoices/${id}/cancel`);
    expect((await remove(service, `/v1/invoices/${id}`)).status).toBe(204);
    for (const version of ['/v1', '/v2'])
      expect(outcome(await service.send(path.replace('/v1', version)))).toEqual([404, 'not-found']);
  });

  for (const [method, version, change, pointer] of CURRENCIES) {
    test(`${method} ${version} of the currency: 422 with items, 200 without [CONTRACT §4]`, async () => {
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
    });
  }
});

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

describe('Items of an invoice in each state', () => {
  for (const [state, outcomes, prepare] of STATES) {
    test(`a write to items of an invoice that is ${state}: refused, nothing changes [CONTRACT §12]`, async () => {
      const id = await empty(service);
      const path = await locationOf(service, id, 100);
      await prepare(service, id);
      const before = [(await service.send(path)).text, (await service.send(`/v1/invoices/${id}`)).text];
      expect(await writes(service, id, path)).toEqual(outcomes);
      expect((await patch(service, path, { quantity: 1 })).status).toBe(200);
      expect([(await service.send(path)).text, (await service.send(`/v1/invoices/${id}`)).text]).toEqual(before);
    });
  }

  for (const status of ['draft', 'open']) {
    test(`a write to items of an invoice that is ${status}: accepted [CONTRACT §4]`, async () => {
      const id = await empty(service, { status });
      const path = await locationOf(service, id, 100);
      expect((await writes(service, id, path)).map(([code]) => code)).toEqual([201, 200, 200, 204]);
      expect((await service.send(`/v1/invoices/${id}`)).json.total_cents).toBe(1);
    });
  }
});

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

/** The other fields of an item without discount and tax. */
const rest = (form: Form, cents: number, { updated_at }: { updated_at: string }) => {
  const isV1 = form.version === 'v1';
  const money = (amount: number) => (isV1 ? amount : { amount, currency: 'USD' });
  return {
    ...{ [isV1 ? 'discount_cents' : 'discount']: money(0), [isV1 ? 'amount_cents' : 'amount']: money(cents) },
    ...{ tax_percent: null, tax_category: null, updated_at },
  };
};

const eur = (amount: number) => ({ amount, currency: 'EUR' });

const line = (unit_amount: object) => ({ description: 'Work', unit_amount });

describe('Items in a new invoice', () => {
  for (const form of FORMS) {
    const { version, total, unit, amount } = form;
    const money = (cents: number) => (version === 'v1' ? cents : { amount: cents, currency: 'USD' });
    test(`${version}, items in POST: created in their order, the total is their sum [CONTRACT §4]`, async () => {
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
        { ...common, description: 'A', quantity: 4, [unit]: money(250), ...rest(form, 1000, json) },
        { ...common, description: 'B', quantity: 1, [unit]: money(7), ...rest(form, 7, json) },
      ]);
      const member = await service.send(`/${version}/invoice-items/${stored[1].id}`);
      expect([member.json, member.headers['etag']]).toEqual([stored[1], '"1"']);
    });

    test(`${version}, a total with items: 201 if it is their sum, otherwise 422 [CONTRACT §4]`, async () => {
      const items = [item(form, 5), item(form, 6)];
      expect((await send(service, form, { items, [total]: amount(11) })).json[total]).toEqual(money(11));
      for (const cents of [0, 10, 12]) {
        const answer = await send(service, form, { items, [total]: amount(cents) });
        expect([...outcome(answer), ...pointersOf(answer)]).toEqual([422, 'validation-failed', `/${total}`]);
      }
    });

    test(`${version}, items: [] is the same as no items [CONTRACT §4]`, async () => {
      const body = { [total]: amount(12), description: 'x' };
      const [empty, none] = [await send(service, form, { ...body, items: [] }), await send(service, form, body)];
      const { id, created_at, updated_at } = none.json;
      expect({ ...empty.json, id, created_at, updated_at }).toEqual(none.json);
      expect(await itemsOf(service, form, empty.json.id)).toEqual([]);
      const { json } = await send(service, form, { items: [] });
      expect(json[total]).toEqual(money(0));
    });

    test(`${version}, id and times of an item: ignored; invoice_id: 422 [CONTRACT §4]`, async () => {
      const ignored = { id: 1, created_at: 'x', updated_at: null };
      const { status, json } = await send(service, form, { items: [item(form, 5, ignored)] });
      const [stored] = await itemsOf(service, form, json.id);
      expect([status, stored.id === 1]).toEqual([201, false]);
      const answer = await send(service, form, { items: [item(form, 5), item(form, 5, { invoice_id: json.id })] });
      expect(answer.json.errors).toMatchObject([{ pointer: '/items/1/invoice_id', code: 'unknown-field' }]);
    });

    test(`${version}, PATCH or PUT with items: 422 at /items, nothing changes [CONTRACT §4]`, async () => {
      const items = [item(form, 5)];
      const before = await send(service, form, { items });
      const path = `/${version}/invoices/${before.json.id}`;
      for (const write of [patch, put]) {
        const answer = await write(service, path, { items });
        expect(answer.json.errors).toMatchObject([{ pointer: '/items', code: 'unknown-field' }]);
        expect((await service.send(path)).text).toBe(before.text);
      }
    });

    test(`${version}, 90 items: 201; 91 items: 422 at /items, no invoice [CONTRACT §4]`, async () => {
      const before = await totalOf(service, '/invoices');
      const items = (count: number) => times(count, (i) => item(form, i));
      const { status, json } = await send(service, form, { items: items(90) });
      expect([status, json[total]]).toEqual([201, money((90 * 89) / 2)]);
      const prices = (await itemsOf(service, form, json.id)).map((one: Record<string, unknown>) => one[unit]);
      expect(prices).toEqual(times(90, money));
      const refused = await send(service, form, { items: items(91) });
      expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'validation-failed', '/items']);
      expect(await totalOf(service, '/invoices')).toBe(before + 1);
      const path = `/v1/invoices/${json.id}`;
      const more = { ...item(V1, 1), invoice_id: json.id };
      expect(pointersOf(await post(service, '/v1/invoice-items', more))).toEqual(['/invoice_id']);
      expect((await remove(service, path)).status).toBe(204);
      expect(await itemsOf(service, form, json.id)).toEqual([]);
    });

    test(`${version}, a sum above the largest total: 422 at /items [CONTRACT §4]`, async () => {
      const largest = await send(service, form, { items: [item(form, MAX - 1), item(form, 1)] });
      expect(largest.json[total]).toEqual(money(MAX));
      for (const items of [[item(form, MAX), item(form, 1)], [item(form, MAX, { quantity: 1_000_000 })]])
        expect(pointersOf(await send(service, form, { items }))).toEqual(['/items']);
    });

    test(`${version}, violations in items: each at its own pointer, all at once [CONTRACT §4]`, async () => {
      const items = [item(form, 1, { quantity: 0, description: 7 }), 5, { [unit]: amount(-1) }, item(form, 1)];
      const answer = await send(service, form, { items, status: 'paid', due_date: 'x' });
      const price = version === 'v1' ? '/items/2/unit_amount_cents' : '/items/2/unit_amount/amount';
      const own = ['/items/0/description', '/items/0/quantity', '/items/1', '/items/2/description', price];
      expect(pointersOf(answer).sort()).toEqual(['/due_date', ...own, '/status'].sort());
      for (const value of [null, {}, 'x', 1])
        expect(pointersOf(await send(service, form, { items: value }))).toEqual(['/items']);
    });
  }

  test('v1, the currency of an invoice: the currency of its items [CONTRACT §4]', async () => {
    const { json } = await send(service, V1, { currency: 'EUR', items: [item(V1, 5)] });
    expect([json.currency, (await itemsOf(service, V2, json.id))[0].amount]).toEqual(['EUR', eur(5)]);
    const answer = await send(service, V1, { items: [item(V1, 5, { currency: 'USD' })] });
    expect(pointersOf(answer)).toEqual(['/items/0/currency']);
  });

  test('v2, items in the currency of the total: 201 [CONTRACT §4]', async () => {
    const body = { total: eur(8), items: [line({ amount: 5 }), line(eur(3))] };
    const { json } = await send(service, V2, body);
    expect(json.total).toEqual(eur(8));
    expect((await itemsOf(service, V2, json.id)).map(({ amount }: { amount: object }) => amount)).toEqual([
      eur(5),
      eur(3),
    ]);
  });

  test('v2, an item in another currency: 422 at its currency, and a wrong total [CONTRACT §4]', async () => {
    const items = [line({ amount: 5 }), line(eur(3)), line({ amount: 1, currency: 'SEK' })];
    const foreign = ['/items/1/unit_amount/currency', '/items/2/unit_amount/currency'];
    for (const total of [undefined, { amount: 9 }, { amount: 9, currency: 'USD' }])
      expect(pointersOf(await send(service, V2, { total, items }))).toEqual(foreign);
    expect(pointersOf(await send(service, V2, { total: { amount: 8 }, items })).sort()).toEqual([...foreign, '/total']);
    expect(pointersOf(await send(service, V2, { total: eur(9), items }))).toEqual([foreign[1]]);
    expect(pointersOf(await send(service, V2, { items: [line({ amount: 1, currency: 'eur' })] }))).toEqual([
      '/items/0/unit_amount/currency',
    ]);
  });
});

describe('Requests that create an invoice with items', () => {
  const item = (unit_amount_cents: number, more: object = {}) => ({ description: 'Work', unit_amount_cents, ...more });

  const send = (service: Service, body: object, headers = {}) => post(service, '/v1/invoices', body, { headers });

  const itemsOf = async (service: Service, id: number) =>
    (await service.send(`/v1/invoice-items?invoice_id=${id}&limit=100`)).json.data;

  const BODY = { items: [item(5), item(6)] };

  test('a dry run: the same status and body with a null id, and nothing is stored [CONTRACT §13]', async () => {
    const customer_id = (await service.create('/v1/customers', { name: 'Ada' })).json.id;
    const body = { customer_id, ...BODY, items: times(90, () => item(2)) };
    const [invoices, items] = [await totalOf(service, '/invoices'), await totalOf(service, '/invoice-items')];
    const dry = await post(service, '/v1/invoices?dry_run=true', body);
    expect(dry.headers).toMatchObject({ 'dry-run': 'true' });
    for (const name of ['etag', 'location']) expect(dry.headers).not.toHaveProperty(name);
    expect([await totalOf(service, '/invoices'), await totalOf(service, '/invoice-items')]).toEqual([invoices, items]);
    const { status, json } = await send(service, body);
    const { created_at, updated_at } = dry.json;
    expect([dry.status, dry.json]).toEqual([status, { ...json, id: null, created_at, updated_at }]);
    const refused = await post(service, '/v1/invoices?dry_run=true', { ...body, total_cents: 1 });
    expect(pointersOf(refused)).toEqual(['/total_cents']);
  });

  test('items with an unknown customer: 404, no item is stored; violations come first [CONTRACT §2]', async () => {
    const before = await totalOf(service, '/invoice-items');
    expect(outcome(await send(service, { ...BODY, customer_id: 1 }))).toEqual([404, 'not-found']);
    expect(outcome(await send(service, { ...BODY, customer_id: 1, total_cents: 1 }))).toEqual([
      422,
      'validation-failed',
    ]);
    expect(await totalOf(service, '/invoice-items')).toBe(before);
  });

  test('items need invoices:write, and no other scope [CONTRACT §2]', async () => {
    const as = (scope: string) => post(service, '/v1/invoices', BODY, { as: { scope } });
    expect((await as('invoices:write')).status).toBe(201);
    expect(outcome(await as('invoices:read'))).toEqual([403, 'insufficient-scope']);
  });

  test('items in POST: one event for each item, created together with the event of the invoice [CONTRACT §14]', async () => {
    const position = (await service.send('/v1/events?sort=-id&limit=1')).json.data[0]?.sequence ?? 0;
    const { json, headers } = await send(service, BODY);
    const ids = (await itemsOf(service, json.id)).map(({ id }: { id: number }) => id);
    const { data } = (await service.send('/v1/events?sort=-id&limit=3')).json;
    const rows = data.map(({ type, resource_id, version, sequence }: Record<string, unknown>) => [
      ...[type, resource_id, version, sequence],
    ]);
    expect(rows.reverse()).toEqual([
      ['invoice.created', json.id, 1, position + 1],
      ['invoice_item.created', ids[0], 1, position + 2],
      ['invoice_item.created', ids[1], 1, position + 3],
    ]);
    for (const event of data) {
      expect([event.changed, event.request_id]).toEqual([[], headers['x-request-id']]);
    }
  });
});
