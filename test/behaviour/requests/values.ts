import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Service } from '#test/acceptance/suite/service.ts';
import { created, idOf, patch, pointersOf, post, times } from '../support/requests.ts';

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

const selection = [
  check('CONTRACT §6', 'expand=customer: the customer in addition to fields, null without one', async (service) => {
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
  }),
];

const expectStored = async (service: Service, collection: string, body: object) => {
  const answer = await post(service, `/v1/${collection}`, body);
  expect([answer.status, answer.json]).toMatchObject([201, body]);
  const stored = await service.send(`/v1/${collection}/${answer.json.id}`);
  expect(stored.text).toBe(answer.text);
};

export const values: Group = {
  name: 'Values of fields',
  checks: [
    ...INVALID.map(([collection, title, body, pointer]) =>
      check('CONTRACT §3', `${collection}, ${title}: 422 at the field`, async (service) => {
        const answer = await post(service, `/v1/${collection}`, body);
        expect([answer.status, answer.json.code, pointersOf(answer)]).toEqual([422, 'validation-failed', [pointer]]);
      }),
    ),
    ...STORED.map(([collection, title, body]) =>
      check('CONTRACT §3', `${collection}, ${title}: stored and returned verbatim`, (service) =>
        expectStored(service, collection, body),
      ),
    ),
    check('CONTRACT §3', 'a PATCH with an invalid value: 422, nothing changes', async (service) => {
      const path = await created(service, 'invoices', { description: 'a' });
      const answer = await patch(service, path, { description: 'b', due_date: 'x', total_cents: -1 });
      expect([answer.status, pointersOf(answer).sort()]).toEqual([422, ['/due_date', '/total_cents']]);
      expect((await service.send(path)).json.description).toBe('a');
    }),
    ...selection,
  ],
};
