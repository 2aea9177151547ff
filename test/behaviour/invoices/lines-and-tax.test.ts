import { describe, expect } from '@jest/globals';
import { openService, test } from '#test/support/service/open-service.ts';
import {
  addItem,
  createInvoice,
  idOf,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  remove,
  times,
} from '../support/requests.ts';

const service = await openService();

const read = async (path: string) => (await service.send(path)).json;
const invoiceOf = (id: number) => read(`/v1/invoices/${id}`);
const create = (items: readonly object[], more: object = {}) => post(service, '/v1/invoices', { items, ...more });

const line = (unit_amount_cents: number, more: object = {}) => ({ description: 'Work', unit_amount_cents, ...more });
const entry = (tax_percent: number, tax_category: string | null, taxable_cents: number, tax_cents: number) => ({
  ...{ tax_percent, tax_category, taxable_cents, tax_cents },
});
/** A half of a minor unit of tax on each line, which is rounded once for all. */
const HALVES = times(3, () => line(50, { tax_percent: 19 }));

describe('Amounts of items', () => {
  for (const [quantity, price, discount, amount] of [
    [0.5, 1, 0, 1],
    [1.5, 3, 0, 5],
    [0.1, 3, 0, 0],
    [2.675, 100, 0, 268],
    [1.005, 1000, 5, 1000],
    [0.000001, 500_000, 0, 1],
    [0.000001, 499_999, 0, 0],
    [1_000_000, 999_999, 999_999_000_000, 0],
    [0.333333, 300, 100, 0],
  ] as const) {
    test(`${quantity} times ${price} minus ${discount}: ${amount}, rounded half away from zero [CONTRACT §4]`, async () => {
      const item = line(price, { quantity, discount_cents: discount });
      const id = await createInvoice(service, {});
      const { json } = await addItem(service, id, price, item);
      expect(json).toMatchObject({ ...item, amount_cents: amount });
      expect(await invoiceOf(id)).toMatchObject({ total_cents: amount, subtotal_cents: amount, tax_cents: 0 });
      expect((await create([item])).json).toMatchObject({ total_cents: amount, subtotal_cents: amount });
    });
  }

  test('a discount above the gross amount: 422 in POST, PATCH and PUT, and in a new invoice [CONTRACT §4]', async () => {
    const id = await createInvoice(service, {});
    const path = `/v1/invoice-items/${(await addItem(service, id, 10, { quantity: 2, discount_cents: 20 })).json.id}`;
    const above = { invoice_id: id, ...line(10), discount_cents: 11 };
    for (const refused of [
      await post(service, '/v1/invoice-items', above),
      await patch(service, path, { quantity: 1.9 }),
      await patch(service, path, { discount_cents: 21 }),
      await put(service, path, above),
    ])
      expect([...outcome(refused), ...pointersOf(refused)]).toEqual([422, 'validation-failed', '/discount_cents']);
    const v2 = await patch(service, path.replace('v1', 'v2'), { discount: { amount: 21 } });
    expect(pointersOf(v2)).toEqual(['/discount/amount']);
    const items = [line(10), line(10, { discount_cents: 11 })];
    expect(pointersOf(await create(items))).toEqual(['/items/1/discount_cents']);
    expect(await invoiceOf(id)).toMatchObject({ total_cents: 0 });
  });

  test('PUT without discount and tax: none [CONTRACT §4]', async () => {
    const id = await createInvoice(service, {});
    const more = { discount_cents: 5, tax_percent: 7, tax_category: 'S' };
    const path = `/v1/invoice-items/${(await addItem(service, id, 100, more)).json.id}`;
    expect((await put(service, path, { invoice_id: id, ...line(100) })).json).toMatchObject({
      ...{ discount_cents: 0, tax_percent: null, tax_category: null, amount_cents: 100 },
    });
    expect(await invoiceOf(id)).toMatchObject({ total_cents: 100, tax_breakdown: [] });
  });
});

describe('Tax', () => {
  test('tax is rounded once for each rate, never for each item [CONTRACT §4]', async () => {
    expect((await create(HALVES)).json).toMatchObject({
      ...{ subtotal_cents: 150, tax_cents: 29, total_cents: 179, amount_due_cents: 179 },
      tax_breakdown: [entry(19, null, 150, 29)],
    });
  });

  test('the breakdown: by percent, then by category, null first; items without tax_percent only in subtotal [CONTRACT §4]', async () => {
    const items = [
      line(100, { tax_percent: 20, tax_category: 'Z' }),
      line(100, { tax_percent: 20 }),
      line(100, { tax_percent: 5.5, tax_category: 'S' }),
      line(100, { tax_percent: 20, tax_category: 'S' }),
      line(7, { tax_category: 'O' }),
      line(300, { tax_percent: 0, tax_category: 'E' }),
      line(10, { tax_percent: 5.5, tax_category: 'S', discount_cents: 5 }),
    ];
    const right = {
      ...{ subtotal_cents: 712, tax_cents: 66, total_cents: 778 },
      tax_breakdown: [
        entry(0, 'E', 300, 0),
        entry(5.5, 'S', 105, 6),
        entry(20, null, 100, 20),
        entry(20, 'S', 100, 20),
        entry(20, 'Z', 100, 20),
      ],
    };
    const { json, headers } = await create(items);
    expect(json).toMatchObject(right);
    expect(await read(headers['location'] as string)).toEqual(json);
    const id = await createInvoice(service, {});
    for (const { unit_amount_cents, ...more } of items.toReversed())
      await addItem(service, id, unit_amount_cents, more);
    expect(await invoiceOf(id)).toMatchObject(right);
    const v2 = await read(`/v2/invoices/${id}`);
    const usd = (amount: number) => ({ amount, currency: 'USD' });
    expect([v2.subtotal, v2.tax, v2.total]).toEqual([usd(712), usd(66), usd(778)]);
    expect(v2.tax_breakdown[1]).toEqual({ tax_percent: 5.5, tax_category: 'S', taxable: usd(105), tax: usd(6) });
  });

  test('an item is changed or deleted: subtotal, tax and breakdown are those of the other items [CONTRACT §4]', async () => {
    const { json, headers } = await create([...HALVES, line(100, { tax_percent: 7 })]);
    const path = headers['location'] as string;
    const { data } = await read(`/v1/invoice-items?invoice_id=${json.id}`);
    const items = data.map(({ id }: { id: number }) => `/v1/invoice-items/${id}`);
    await patch(service, items[3], { tax_percent: 19 });
    expect(await read(path)).toMatchObject({ total_cents: 298, tax_breakdown: [entry(19, null, 250, 48)] });
    await patch(service, items[0], { tax_percent: null });
    expect(await read(path)).toMatchObject({ total_cents: 288, tax_breakdown: [entry(19, null, 200, 38)] });
    for (const item of items.slice(1)) await remove(service, item);
    expect(await read(path)).toMatchObject({ subtotal_cents: 50, total_cents: 50, tax_cents: 0, tax_breakdown: [] });
  });

  test('an item of 0 with a rate: an entry of 0, as long as it exists [CONTRACT §4]', async () => {
    const { json, headers } = await create([line(0, { tax_percent: 19 })]);
    expect(json.tax_breakdown).toEqual([entry(19, null, 0, 0)]);
    const { data } = await read(`/v1/invoice-items?invoice_id=${json.id}`);
    await remove(service, `/v1/invoice-items/${data[0].id}`);
    expect((await read(headers['location'] as string)).tax_breakdown).toEqual([]);
  });

  test('a total beside items: the sum with tax; otherwise 422 at /total_cents [CONTRACT §4]', async () => {
    expect((await create(HALVES, { total_cents: 179 })).status).toBe(201);
    for (const total_cents of [150, 180])
      expect(pointersOf(await create(HALVES, { total_cents }))).toEqual(['/total_cents']);
    const { headers } = await create(HALVES);
    expect(pointersOf(await patch(service, headers['location'] as string, { total_cents: 150 }))).toEqual([
      '/total_cents',
    ]);
  });

  test('read-only values in POST: as the created invoice has them, otherwise 422 [CONTRACT §4]', async () => {
    const right = { subtotal_cents: 150, tax_cents: 29, tax_breakdown: [entry(19, null, 150, 29)] };
    expect((await create(HALVES, right)).status).toBe(201);
    const wrong = { subtotal_cents: 179, tax_cents: 30, tax_breakdown: [entry(19, null, 150, 30)] };
    const refused = await create(HALVES, wrong);
    expect(pointersOf(refused).sort()).toEqual(['/subtotal_cents', '/tax_breakdown', '/tax_cents']);
    const items = [line(100, { amount_cents: 119, tax_percent: 19 })];
    expect(pointersOf(await create(items))).toEqual(['/items/0/amount_cents']);
  });

  test('11 rates: 422 too-many-tax-rates, in a new invoice, and with an item; 10: accepted [CONTRACT §4]', async () => {
    const items = times(10, (i) => line(100, { tax_percent: i, tax_category: 'S' }));
    const { status, json } = await create(items);
    expect([status, json.tax_breakdown.length]).toEqual([201, 10]);
    const other = { tax_percent: 0, tax_category: 'Z' };
    expect(outcome(await create([...items, line(1, other)]))).toEqual([422, 'too-many-tax-rates']);
    expect(outcome(await addItem(service, json.id, 1, other))).toEqual([422, 'too-many-tax-rates']);
    expect((await addItem(service, json.id, 1, { tax_percent: 3, tax_category: 'S' })).status).toBe(201);
    const { data } = await read(`/v1/invoice-items?invoice_id=${json.id}`);
    const last = `/v1/invoice-items/${data.at(-1).id}`;
    expect(outcome(await patch(service, last, other))).toEqual([422, 'too-many-tax-rates']);
    expect(await invoiceOf(json.id)).toMatchObject({ subtotal_cents: 1001 });
  });

  test('a total with tax above the largest one: 422 at /items, and at /unit_amount_cents of an item [CONTRACT §4]', async () => {
    const largest = line(900_000_000_000, { tax_percent: 19 });
    expect(pointersOf(await create([largest]))).toEqual(['/items']);
    const { unit_amount_cents, ...more } = largest;
    const refused = await addItem(service, await createInvoice(service, {}), unit_amount_cents, more);
    expect(pointersOf(refused)).toEqual(['/unit_amount_cents']);
  });

  test('a flat invoice: the subtotal is the total, without tax [CONTRACT §4]', async () => {
    const id = await createInvoice(service, { total_cents: 119 });
    expect(await invoiceOf(id)).toMatchObject({ subtotal_cents: 119, tax_cents: 0, tax_breakdown: [] });
  });

  test('payments settle the total with tax; its fields can be selected one by one [CONTRACT §4, §6]', async () => {
    const { json } = await create(HALVES);
    expect(outcome(await pay(service, json.id, 180))).toEqual([422, 'amount-exceeds-due']);
    expect((await pay(service, json.id, 179)).status).toBe(201);
    for (const name of ['subtotal_cents', 'tax_cents', 'tax_breakdown'])
      expect(await read(`/v1/invoices/${json.id}?fields=${name}`)).toEqual({ [name]: json[name] });
    expect(await read(`/v2/invoices/${json.id}?fields=tax_breakdown`)).toEqual({
      tax_breakdown: [expect.objectContaining({ tax: { amount: 29, currency: 'USD' } })],
    });
  });

  test('v2: each amount may repeat the currency; another one is 422 at that amount [CONTRACT §12]', async () => {
    const invoice_id = await createInvoice(service, { currency: 'EUR' });
    const send = (more: object) =>
      post(service, '/v2/invoice-items', { invoice_id, description: 'x', unit_amount: { amount: 9 }, ...more });
    expect(pointersOf(await send({ discount: { amount: 1, currency: 'USD' } }))).toEqual(['/discount/currency']);
    const mixed = { unit_amount: { amount: 9, currency: 'USD' }, discount: { amount: 1, currency: 'EUR' } };
    expect(pointersOf(await send(mixed))).toEqual(['/unit_amount/currency']);
    const own = { unit_amount: { amount: 9, currency: 'EUR' }, discount: { amount: 1, currency: 'EUR' } };
    const { json, headers } = await send(own);
    expect(json).toMatchObject({ amount: { amount: 8, currency: 'EUR' } });
    const other = await patch(service, headers['location'] as string, { discount: { amount: 2, currency: 'USD' } });
    expect(pointersOf(other)).toEqual(['/discount/currency']);
    const items = [{ description: 'x', ...own }];
    expect(pointersOf(await post(service, '/v2/invoices', { items })).sort()).toEqual([
      '/items/0/discount/currency',
      '/items/0/unit_amount/currency',
    ]);
    const created = await post(service, '/v2/invoices', { items, total: { amount: 8, currency: 'EUR' } });
    expect([created.status, idOf(created.headers['location'] as string)]).toEqual([201, created.json.id]);
  });
});
