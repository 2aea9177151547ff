import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { partOf } from '#test/support/extent/extent.ts';
import { openService, type Service, test } from '#test/support/service/open-service.ts';
import {
  created,
  createInvoice,
  idOf,
  outcome,
  patch,
  pay,
  pointersOf,
  post,
  put,
  times,
} from '../support/requests.ts';

const service = await openService();

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

/** The creations whose currency must equal the currency of another resource. */
const CREATIONS = [
  ['payments', 'invoice_id'],
  ['refunds', 'payment_id'],
] as const;

describe('Amounts and currencies', () => {
  test('an invoice: has money objects instead of X_cents and currency [CONTRACT §4]', async () => {
    const { json, headers } = await post(service, '/v2/invoices', { total: { amount: 1250, currency: 'EUR' } });
    const amount = (value: number) => ({ amount: value, currency: 'EUR' });
    expect(json).toMatchObject({ total: amount(1250), amount_paid: amount(0), amount_due: amount(1250) });
    for (const name of ['total_cents', 'currency', 'amount_due_cents', 'amount_paid_cents'])
      expect(json).not.toHaveProperty(name);
    expect(headers['location']).toBe(`/v2/invoices/${json.id}`);
    const v1 = await service.send(`/v1/invoices/${json.id}`);
    expect(v1.json).toMatchObject({ total_cents: 1250, currency: 'EUR', amount_due_cents: 1250 });
  });

  test('an empty v2 invoice: its total is 0 USD [CONTRACT §4]', async () => {
    expect((await post(service, '/v2/invoices', {})).json.total).toEqual({ amount: 0, currency: 'USD' });
  });

  for (const [body, pointer] of partOf(INVALID, 3)) {
    test(`a v2 invoice with ${JSON.stringify(body)}: 422 at ${pointer} [CONTRACT §12]`, async () => {
      const answer = await post(service, '/v2/invoices', body);
      expect([answer.status, answer.json.errors[0].pointer]).toEqual([422, pointer]);
    });
  }

  test('a money object in v1: 422 at its field [CONTRACT §4]', async () => {
    const answer = await post(service, '/v1/invoices', { total: { amount: 1 } });
    expect([answer.status, ...pointersOf(answer)]).toEqual([422, '/total']);
  });

  test('a total without currency: PATCH keeps the currency, PUT sets the default [CONTRACT §4]', async () => {
    const { headers } = await post(service, '/v2/invoices', { total: { amount: 1, currency: 'EUR' } });
    const path = headers['location'] as string;
    expect((await patch(service, path, { total: { amount: 2 } })).json.total).toEqual({
      amount: 2,
      currency: 'EUR',
    });
    expect((await put(service, path, { total: { amount: 3 } })).json.total).toEqual({ amount: 3, currency: 'USD' });
  });

  test('PUT without total: 0 in the default currency [CONTRACT §4]', async () => {
    const { headers } = await post(service, '/v2/invoices', { total: { amount: 1, currency: 'EUR' } });
    const { json } = await put(service, headers['location'] as string, {});
    expect(json.total).toEqual({ amount: 0, currency: 'USD' });
  });

  test('an item: money has the currency of the invoice, otherwise 422 [CONTRACT §12]', async () => {
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
  });

  test('a payment: money has the currency of the invoice, otherwise 422 [CONTRACT §12]', async () => {
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
  });

  for (const [collection, owner] of CREATIONS) {
    test(`v1 ${collection} with another currency: 422 at /currency, nothing is created [CONTRACT §4]`, async () => {
      const owners = await paidInYen(service);
      const body = { [owner]: owners[owner], amount_cents: 5 };
      for (const currency of OTHER_CURRENCIES) {
        const refused = await post(service, `/v1/${collection}`, { ...body, currency });
        expect([currency, ...outcome(refused), ...pointersOf(refused)]).toEqual([
          ...[currency, 422, 'validation-failed', '/currency'],
        ]);
        expect(refused.json.errors[0].detail).toContain('must be absent or "JPY"');
      }
      const { json } = await service.send(`/v1/payments/${owners.payment_id}`);
      expect(json.amount_refunded_cents).toBe(0);
      expect((await service.send(`/v1/invoices/${owners.invoice_id}`)).json.amount_paid_cents).toBe(100);
      const named = await post(service, `/v1/${collection}`, { ...body, currency: 'JPY' });
      expect([named.status, named.json.currency]).toEqual([201, 'JPY']);
    });

    test(`v1 ${collection}, another currency under a used key: the record decides [CONTRACT §12]`, async () => {
      const owners = await paidInYen(service);
      const body = { [owner]: owners[owner], amount_cents: 5 };
      const headers = { 'idempotency-key': randomUUID() };
      const send = (more: object) => post(service, `/v1/${collection}`, { ...body, ...more }, { headers });
      expect(outcome(await send({ currency: 'USD' }))).toEqual([422, 'validation-failed']);
      const first = await send({});
      expect(first.status).toBe(201);
      expect(outcome(await send({ currency: 'USD' }))).toEqual([422, 'idempotency-key-reused']);
      expect((await send({})).text).toBe(first.text);
    });

    test(`v1 ${collection} with another currency for an unknown id: 404 [CONTRACT §4]`, async () => {
      const answer = await post(service, `/v1/${collection}`, { [owner]: 1, amount_cents: 5, currency: null });
      expect(outcome(answer)).toEqual([404, 'not-found']);
    });
  }

  test('a payment and its refund: the same amounts in both versions [CONTRACT §4]', async () => {
    const { json } = await pay(service, await createInvoice(service), 7);
    const refunded = await post(service, '/v2/refunds', { payment_id: json.id, amount: { amount: 3 } });
    expect(refunded.json.amount).toEqual({ amount: 3, currency: 'USD' });
    const v1 = await service.send(`/v1/refunds/${refunded.json.id}`);
    expect(v1.json).toMatchObject({ amount_cents: 3, currency: 'USD' });
    const v2 = await service.send(`/v2/payments/${json.id}`);
    expect(v2.json).toMatchObject({ amount: { amount: 7 }, amount_refunded: { amount: 3, currency: 'USD' } });
  });
});

describe('Values of fields', () => {
  const pairs = (count: number) => Object.fromEntries(times(count, (i) => [`k${i}`, 'v']));

  const INVALID: readonly (readonly [collection: string, title: string, body: object, pointer: string])[] = [
    ...[0, -1, 1.5, '1', 2 ** 53, {}, true].map(
      (id) => ['invoices', `customer_id ${JSON.stringify(id)}`, { customer_id: id }, '/customer_id'] as const,
    ),
    ...[-1, 0.5, '1', 1_000_000_000_000, null].map(
      (cents) => ['invoices', `total_cents ${JSON.stringify(cents)}`, { total_cents: cents }, '/total_cents'] as const,
    ),
    ...['usd', 'XXY', '', 'US', 7, null].map(
      (code) => ['invoices', `currency ${JSON.stringify(code)}`, { currency: code }, '/currency'] as const,
    ),
    ...['2026-02-30', '2026-1-1', '20260101', '2026-01-01T00:00:00Z', '', 20260101].map(
      (date) => ['invoices', `due_date ${JSON.stringify(date)}`, { due_date: date }, '/due_date'] as const,
    ),
    ['invoices', 'description of 1,001 characters', { description: 'é'.repeat(1001) }, '/description'],
    ['invoices', 'description with U+0000', { description: 'a\u0000' }, '/description'],
    ['invoices', 'description with a lone surrogate', { description: 'a\ud800' }, '/description'],
    ['invoices', 'description that is a number', { description: 7 }, '/description'],
    ['invoices', 'unknown status', { status: 'late' }, '/status'],
    ['invoices', 'unknown field', { totl_cents: 1 }, '/totl_cents'],
    ['customers', 'name that is null', { name: null }, '/name'],
    ['customers', 'name without a character', { name: '' }, '/name'],
    ['customers', 'email of 321 characters', { name: 'x', email: `${'é'.repeat(319)}@x` }, '/email'],
    ['customers', 'email without @', { name: 'x', email: 'ada.example.com' }, '/email'],
    ['customers', 'email with two @', { name: 'x', email: 'a@b@c' }, '/email'],
    ['customers', 'email with a blank', { name: 'x', email: 'pat x@example.com' }, '/email'],
    ['customers', 'empty email', { name: 'x', email: '' }, '/email'],
    ['customers', 'empty metadata key', { name: 'x', metadata: { '': 'v' } }, '/metadata/'],
    ['customers', 'country in lower case', { name: 'x', address: { country: 'no' } }, '/address/country'],
    ['customers', 'unknown member of address', { name: 'x', address: { street: 'x' } }, '/address/street'],
    ['customers', 'address that is a list', { name: 'x', address: [] }, '/address'],
    ['customers', 'metadata with 21 pairs', { name: 'x', metadata: pairs(21) }, '/metadata'],
    [
      'customers',
      'metadata key of 41 characters',
      { name: 'x', metadata: { ['k'.repeat(41)]: 'v' } },
      `/metadata/${'k'.repeat(41)}`,
    ],
    ['customers', 'metadata value of 501 characters', { name: 'x', metadata: { a: 'v'.repeat(501) } }, '/metadata/a'],
    ['customers', 'metadata value that is a number', { name: 'x', metadata: { a: 1 } }, '/metadata/a'],
    ['customers', 'metadata value that is null', { name: 'x', metadata: { a: null } }, '/metadata/a'],
  ];

  const STORED: readonly (readonly [collection: string, title: string, body: object])[] = [
    ['invoices', 'total_cents of 999999999999', { total_cents: 999_999_999_999 }],
    ['invoices', 'a description of 1,000 characters', { description: '😀'.repeat(1000) }],
    ['invoices', 'an empty description', { description: '' }],
    ['invoices', 'a leap day', { due_date: '2028-02-29' }],
    ['invoices', 'a currency without minor units', { currency: 'JPY', total_cents: 5 }],
    ['customers', 'markup, emoji and control characters', { name: '<b>&"\u2028\u0001\u007f😀e\u0301' }],
    ['customers', 'an email of 320 characters', { name: 'x', email: `${'😀'.repeat(318)}@x` }],
    ['customers', 'white space at both ends', { name: ' a\t' }],
    ['customers', '20 pairs of metadata', { name: 'x', metadata: pairs(20) }],
    [
      'customers',
      'a metadata key of 40, a value of 500 characters',
      { name: 'x', metadata: { ['k'.repeat(40)]: '😀'.repeat(500) } },
    ],
    [
      'customers',
      'metadata keys that are numbers, and constructor',
      { name: 'x', metadata: { 1: 'a', constructor: 'b' } },
    ],
    ...['\\', '\n', '"', '\\n'].map(
      (name) =>
        [
          'customers',
          `the metadata key ${JSON.stringify(name)}`,
          { name: 'x', metadata: { a: '1', [name]: '2' } },
        ] as const,
    ),
  ];

  const expectStored = async (service: Service, collection: string, body: object) => {
    const answer = await post(service, `/v1/${collection}`, body);
    expect([answer.status, answer.json]).toMatchObject([201, body]);
    const stored = await service.send(`/v1/${collection}/${answer.json.id}`);
    expect(stored.text).toBe(answer.text);
  };

  for (const [collection, title, body, pointer] of partOf(INVALID, 3)) {
    test(`${collection}, ${title}: 422 at the field [CONTRACT §3]`, async () => {
      const answer = await post(service, `/v1/${collection}`, body);
      expect([answer.status, answer.json.code, pointersOf(answer)]).toEqual([422, 'validation-failed', [pointer]]);
    });
  }

  for (const [collection, title, body] of partOf(STORED, 3)) {
    test(`${collection}, ${title}: stored and returned verbatim [CONTRACT §3]`, () =>
      expectStored(service, collection, body));
  }

  test('a PATCH with an invalid value: 422, nothing changes [CONTRACT §3]', async () => {
    const path = await created(service, 'invoices', { description: 'a' });
    const answer = await patch(service, path, { description: 'b', due_date: 'x', total_cents: -1 });
    expect([answer.status, pointersOf(answer).sort()]).toEqual([422, ['/due_date', '/total_cents']]);
    expect((await service.send(path)).json.description).toBe('a');
  });

  test('expand=customer: the customer in addition to fields, null without a customer [CONTRACT §6]', async () => {
    const { json: customer } = await service.create('/v1/customers', { name: 'Ann' });
    const path = await created(service, 'invoices', { customer_id: customer.id });
    expect((await service.send(`${path}?expand=customer,customer`)).json.customer).toEqual(customer);
    const selected = await service.send(`${path}?fields=id&expand=customer`);
    expect(selected.json).toEqual({ id: idOf(path), customer });
    const bare = await created(service, 'invoices');
    expect((await service.send(`${bare}?expand=customer`)).json.customer).toBeNull();
    expect((await service.send(bare)).json).not.toHaveProperty('customer');
    const list = await service.send('/v1/invoices?expand=customer&limit=100&sort=-id&fields=customer_id');
    expect(list.json.data.slice(0, 2)).toEqual([
      { customer_id: null, customer: null },
      { customer_id: customer.id, customer },
    ]);
    for (const row of list.json.data) expect(row.customer?.id ?? null).toBe(row.customer_id);
  });
});
