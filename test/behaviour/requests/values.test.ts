import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
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
  [{ total: [1] }, '/total'],
  [{ total: {} }, '/total/amount'],
  [{ total: { currency: 'EUR' } }, '/total/amount'],
  [{ total: { amount: -1 } }, '/total/amount'],
  [{ total: { amount: '1' } }, '/total/amount'],
  ...['xxx', null].map((currency) => [{ total: { amount: 1, currency } }, '/total/currency'] as const),
  ...['cents', 'toString'].map((name) => [{ total: { amount: 1, [name]: 1 } }, `/total/${name}`] as const),
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
  ['credit-notes', 'invoice_id'],
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

  test('an invalid v2 money object: 422 at the pointer of its fault, by POST, PATCH and PUT [CONTRACT §12]', async () => {
    const path = (await post(service, '/v2/invoices', {})).headers['location'] as string;
    for (const [body, pointer] of INVALID)
      for (const answer of [
        await post(service, '/v2/invoices', body),
        await patch(service, path, body),
        await put(service, path, body),
      ])
        expect([body, answer.status, pointersOf(answer)]).toEqual([body, 422, [pointer]]);
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

/** A body with a value at a JSON pointer (RFC 6901). */
const bodyWith = (pointer: string, value: unknown): object =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduceRight((inner, name) => ({ [name]: inner }), value) as object;

const pairs = (count: number, value: string | null = 'v') =>
  Object.fromEntries(times(count, (i) => [`${value}${i}`, value]));

const NO_TEXT = ['a\0b', 'a\ud83d', '\ude00a', '\ude00\ud83d'];

const NO_EMAIL = [
  ...['', '@', 'a@', '@b', 'ab', 'a@b@c', 'a@@b', 'pat x@example.com', ' a@b', 'a@b\n', 'a\u00a0@b', 'a@\ufeffb'],
  ...['a@b\u2028c', 'a\u200b@b', 'a@b\u00adc', 'a@b\u{e0001}'],
];

const NO_DATE = [
  ...['2026-02-30', '2026-02-29', '1900-02-29', '2100-02-29', '2026-04-31', '2026-01-32', '2026-01-00', '2026-00-01'],
  ...['2026-13-01', '2026-1-1', '26-01-01', '+002026-01-01', '-2026-01-01', '20260101', '2026-01-01T00:00:00.000Z'],
  ...['２０２６-01-01', '2026-01-01 ', '2026-01-01\n', '', '1899-12-31', '0000-01-01', 20260101, ['2026-01-01']],
];

const LONG_KEY = 'k'.repeat(41);

/** Values that every write of a collection refuses. */
const REFUSED: readonly (readonly [collection: string, pointer: string, code: string, values: readonly unknown[]])[] = [
  ['invoices', '/customer_id', 'invalid-id', [0, -1, 1.5, '1', 2 ** 53, {}, true]],
  ['invoices', '/total_cents', 'out-of-range', [-1, 1_000_000_000_000, 2 ** 53, 1e300]],
  ['invoices', '/total_cents', 'invalid-type', [0.5, '1', null, true, [1], {}]],
  [
    'invoices',
    '/currency',
    'invalid-currency',
    ['usd', 'XXY', '', 'US', 'USDX', 'constructor', 7, null, ['USD'], { toString: null }],
  ],
  ['invoices', '/due_date', 'invalid-date', NO_DATE],
  ['invoices', '/description', 'too-long', ['é'.repeat(1001), '😀'.repeat(1001), 'e\u0301'.repeat(501)]],
  ['invoices', '/description', 'invalid-text', NO_TEXT],
  ['invoices', '/description', 'invalid-type', [7, true, [], {}]],
  ['invoices', '/status', 'not-allowed', ['late', 'Open', '', 1, null, ['open'], 'constructor']],
  ['invoices', '/customer', 'unknown-field', [null]],
  ['invoices', '/total', 'unknown-field', [{ amount: 1 }]],
  ...['/totl_cents', '/toString', '/constructor', '/a~1b', '/m~0n', '/~01', '/'].map(
    (pointer) => ['invoices', pointer, 'unknown-field', [1]] as const,
  ),
  ['customers', '/name', 'invalid-type', [null, 7]],
  ['customers', '/name', 'too-short', ['']],
  ['customers', '/email', 'too-long', [`${'😀'.repeat(319)}@x`]],
  ['customers', '/email', 'invalid-email', NO_EMAIL],
  ['customers', '/address', 'invalid-type', [[], 'Ulm', 7]],
  ['customers', '/address/country', 'invalid-country', ['de', 'DEU', 'UK', 'EU', 'XK', 'ZZ', '', ' DE', 276]],
  ['customers', '/address/city', 'too-long', ['x'.repeat(1001)]],
  ['customers', '/address/line1', 'invalid-type', [1]],
  ...['/address/street', '/address/toString', '/address/constructor'].map(
    (pointer) => ['customers', pointer, 'unknown-field', ['x']] as const,
  ),
  ['customers', '/metadata', 'invalid-type', [[], 'a', null]],
  ['customers', '/metadata', 'too-many', [pairs(21), { ...pairs(20), a: 1 }]],
  ['customers', '/metadata/a', 'too-long', ['v'.repeat(501)]],
  ['customers', '/metadata/a', 'invalid-text', ['\udfff']],
  ['customers', '/metadata/a', 'invalid-type', [1, {}]],
  ['customers', '/metadata/constructor', 'invalid-type', [1]],
  ['customers', '/metadata/', 'too-short', ['v']],
  ['customers', '/metadata/a\0', 'invalid-text', ['v']],
  ['customers', `/metadata/${LONG_KEY}`, 'too-long', ['v']],
];

const STORED: readonly (readonly [collection: string, body: object])[] = [
  ['invoices', { total_cents: 999_999_999_999 }],
  ['invoices', { currency: 'JPY', total_cents: 5 }],
  ...['😀'.repeat(1000), '', '\u0001\uffff\ufeff\r\n', ' <b>é😀\u0001"\\\n\u2028 '].map(
    (description) => ['invoices', { description }] as const,
  ),
  ...['2028-02-29', '2000-02-29', '1900-01-01', '9999-12-31'].map((due_date) => ['invoices', { due_date }] as const),
  ...['<b>&"\u2028\u0001\u007f😀e\u0301', ' a\t', '😀'].map((name) => ['customers', { name }] as const),
  ...['a@b', 'pat+x@example.com', 'Ä.ö-😀@例え.テスト', '"<a>"@[127.0.0.1]', `${'😀'.repeat(318)}@x`].map(
    (email) => ['customers', { name: 'x', email }] as const,
  ),
  ...[
    pairs(20),
    { ['😀'.repeat(40)]: '😀'.repeat(500), empty: '' },
    { 1: 'a', constructor: 'b', toString: 'c', hasOwnProperty: 'd', prototype: 'e' },
    ...['\\', '\n', '"', '\\n'].map((name) => ({ a: '1', [name]: '2' })),
  ].map((metadata) => ['customers', { name: 'x', metadata }] as const),
];

describe('Values of fields', () => {
  for (const [collection, pointer, code, values] of REFUSED) {
    test(`${collection}, ${JSON.stringify(pointer)} ${code}: 422 by POST, PATCH and PUT, nothing changes [CONTRACT §3, §4]`, async () => {
      const valid = collection === 'customers' ? { name: 'x' } : {};
      const path = await created(service, collection, valid);
      const before = await service.send(path);
      for (const value of values) {
        const body = { ...valid, ...bodyWith(pointer, value) };
        for (const answer of [
          await post(service, `/v1/${collection}`, body),
          await patch(service, path, body),
          await put(service, path, body),
        ]) {
          const violations = answer.json.errors.map((one: Record<string, string>) => [one['pointer'], one['code']]);
          expect([value, answer.status, violations]).toEqual([value, 422, [[pointer, code]]]);
        }
      }
      expect((await service.send(path)).text).toBe(before.text);
    });
  }

  test('values at their limits: stored and returned verbatim [CONTRACT §3, §4]', async () => {
    for (const [collection, body] of STORED) {
      const answer = await post(service, `/v1/${collection}`, body);
      expect([answer.status, answer.json]).toMatchObject([201, body]);
      expect((await service.send(`/v1/${collection}/${answer.json.id}`)).text).toBe(answer.text);
    }
  });

  test('null as a value of metadata: 422 by POST and PUT; a PATCH removes the key, and counts only the others [CONTRACT §4]', async () => {
    const path = await created(service, 'customers', { name: 'x', metadata: { a: 'b' } });
    const body = { name: 'x', metadata: { a: null } };
    for (const answer of [await post(service, '/v1/customers', body), await put(service, path, body)])
      expect([answer.status, pointersOf(answer)]).toEqual([422, ['/metadata/a']]);
    const { json } = await patch(service, path, { metadata: { ...pairs(21, null), ...pairs(20), a: null } });
    expect(json.metadata).toEqual(pairs(20));
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
