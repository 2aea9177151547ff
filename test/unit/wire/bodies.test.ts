import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import type { Resource } from '#shared/platform/resource.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { violation } from '#shared/platform/wire/violation.ts';
import { copyOf, details, INHERITED, json, terms } from '#test/unit/invoicing/arbitrary.ts';
import { EMOJI, faults, parsed, repeat } from './body.ts';

type Operation = 'create' | 'replace' | 'patch';
const OPERATIONS = ['create', 'replace', 'patch'] as const;

/** Every schema of a body there is. */
const BODIES = [Customer as Resource, Invoice as Resource].flatMap((resource) =>
  OPERATIONS.flatMap((operation) =>
    VERSIONS.map((version) => ({ resource, operation, version, schema: resource[operation][version] })),
  ),
);

const customer = (operation: Operation, body: object, version: Version = 'v1') =>
  faults(Customer[operation][version], body);
const invoice = (operation: Operation, body: unknown, version: Version = 'v1') =>
  faults(Invoice[operation][version], body);

test('CONTRACT §4: what is left out of a create takes its default', () => {
  const none = { customer_id: null, due_date: null, description: null, metadata: {} };
  for (const version of VERSIONS) {
    expect(parsed(Invoice.create[version], {})).toEqual({ status: 'open', total_cents: 0, currency: 'USD', ...none });
    expect(parsed(Customer.create[version], { name: 'Ann' })).toEqual({
      name: 'Ann',
      email: null,
      tax_id: null,
      address: null,
      metadata: {},
    });
  }
});

test('CONTRACT §4: what is left out of a PUT takes its default, except status and total, which the domain decides', () => {
  const none = { customer_id: null, due_date: null, description: null, metadata: {} };
  expect(parsed(Invoice.replace.v1, {})).toEqual({ currency: 'USD', ...none });
  expect(parsed(Invoice.replace.v2, {})).toEqual(none);
  for (const version of VERSIONS) {
    expect(parsed(Customer.replace[version], { name: 'Ann' })).toEqual(parsed(Customer.create.v1, { name: 'Ann' }));
  }
});

test('CONTRACT §4: what is left out of a PATCH is not in it', () => {
  for (const { operation, schema } of BODIES) if (operation === 'patch') expect(parsed(schema, {})).toEqual({});
});

test('CONTRACT §4: a required field left out of a create or a PUT is 422', () => {
  for (const version of VERSIONS) {
    expect(customer('create', {}, version)).toEqual(['/name required']);
    expect(customer('replace', { email: null }, version)).toEqual(['/name required']);
    expect(customer('patch', {}, version)).toEqual([]);
  }
});

test.each<[unknown]>([[null], [[]], [[{}]], ['text'], [1], [true]])(
  'CONTRACT §10: a JSON body that is no object is 422, at the whole: %j',
  (body) => {
    for (const { schema } of BODIES) expect(faults(schema, body)).toEqual([' invalid-type']);
  },
);

test.each<['customer' | 'invoice', string, boolean]>([
  ['customer', 'name', false],
  ['customer', 'email', true],
  ['customer', 'tax_id', true],
  ['customer', 'address', true],
  ['customer', 'metadata', false],
  ['invoice', 'status', false],
  ['invoice', 'total_cents', false],
  ['invoice', 'currency', false],
  ['invoice', 'customer_id', true],
  ['invoice', 'due_date', true],
  ['invoice', 'description', true],
  ['invoice', 'metadata', false],
])('CONTRACT §4: null clears a nullable field; on another it is 422: %s.%s, nullable: %p', (noun, field, nullable) => {
  const resource: Resource = noun === 'customer' ? Customer : Invoice;
  for (const operation of OPERATIONS) {
    const body = { ...(noun === 'customer' && { name: 'Ann' }), [field]: null };
    const [fault, ...others] = faults(resource[operation].v1, body);
    expect(others).toEqual([]);
    if (nullable) expect(fault).toBeUndefined();
    else expect(fault).toMatch(new RegExp(`^/${field} `));
  }
});

test.each<[Operation, string[]]>([
  ['create', ['draft', 'open']],
  ['replace', ['draft', 'open', 'paid', 'canceled']],
  ['patch', ['draft', 'open', 'paid', 'canceled']],
])('CONTRACT §4: a status is one of the four; on create, draft or open: %s', (operation, allowed) => {
  for (const version of VERSIONS) {
    for (const status of ['draft', 'open', 'paid', 'canceled', 'Open', 'void', '', 1, null, ['open'], 'constructor']) {
      const expected = allowed.includes(status as string) ? [] : ['/status not-allowed'];
      expect(invoice(operation, { status }, version)).toEqual(expected);
    }
  }
});

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'x']));

test.each<[string, unknown, string[]]>([
  ['nothing', {}, []],
  ['20 pairs', pairs(20), []],
  ['21 pairs', pairs(21), ['/metadata too-many']],
  ['a key of 40 characters', { [repeat(40)]: 'x' }, []],
  ['a key of 41 characters', { [repeat(41)]: 'x' }, [`/metadata/${repeat(41)} too-long`]],
  ['a key of 40 characters of two code units', { [repeat(40, EMOJI)]: 'x' }, []],
  [
    'a key of 41 characters of two code units',
    { [repeat(41, EMOJI)]: 'x' },
    [`/metadata/${repeat(41, EMOJI)} too-long`],
  ],
  ['a value of 500 characters', { a: repeat(500) }, []],
  ['a value of 501 characters', { a: repeat(501) }, ['/metadata/a too-long']],
  ['a value of 500 characters of two code units', { a: repeat(500, EMOJI) }, []],
  ['a value of 501 characters of two code units', { a: repeat(501, EMOJI) }, ['/metadata/a too-long']],
  ['an empty value', { a: '' }, []],
  ['an empty key', { '': 'x' }, ['/metadata/ too-short']],
  ['U+0000 in a key', { 'a\0': 'x' }, ['/metadata/a\0 invalid-text']],
  ['a lone surrogate in a key', { '\ud800': 'x' }, ['/metadata/\ud800 invalid-text']],
  ['U+0000 in a value', { a: '\0' }, ['/metadata/a invalid-text']],
  ['a lone surrogate in a value', { a: '\udfff' }, ['/metadata/a invalid-text']],
  ['a number', { a: 1 }, ['/metadata/a invalid-type']],
  ['an object', { a: {} }, ['/metadata/a invalid-type']],
  ['a list', [], ['/metadata invalid-type']],
  ['a text', 'a', ['/metadata invalid-type']],
  [
    '~ and / in keys',
    { 'a/b': 1, 'm~n': 1, '~1': 1 },
    ['/metadata/a~1b', '/metadata/m~0n', '/metadata/~01'].map((one) => `${one} invalid-type`),
  ],
  [
    'a bad key with a bad value',
    { [repeat(41)]: 1 },
    [`/metadata/${repeat(41)} invalid-type`, `/metadata/${repeat(41)} too-long`],
  ],
  ['21 pairs, one of them bad', { ...pairs(20), a: 1 }, ['/metadata too-many', '/metadata/a invalid-type']],
  ['keys that every object inherits', { constructor: 'a', toString: 'b', hasOwnProperty: 'c', prototype: 'd' }, []],
  [
    'a bad value under such a key',
    { constructor: 1, toString: null },
    ['/metadata/constructor invalid-type', '/metadata/toString invalid-type'],
  ],
])('CONTRACT §4: metadata: ≤ 20 pairs, keys ≤ 40 and values ≤ 500 characters: %s', (_, metadata, expected) => {
  for (const operation of ['create', 'replace'] as const) {
    expect(invoice(operation, { metadata })).toEqual(expected);
    expect(customer(operation, { name: 'Ann', metadata })).toEqual(expected);
    if (expected.length === 0) expect(parsed(Invoice[operation].v1, { metadata }).metadata).toEqual(metadata);
  }
});

test.each<[string, unknown, string[]]>([
  ['null removes a pair', { a: null, constructor: null }, []],
  ['more pairs than may remain, the merged whole decides', pairs(21), []],
  ['a number', { a: 1 }, ['/metadata/a invalid-type']],
  ['a value of 501 characters', { a: repeat(501) }, ['/metadata/a too-long']],
  ['a key of 41 characters', { [repeat(41)]: null }, [`/metadata/${repeat(41)} too-long`]],
  ['an empty key', { '': null }, ['/metadata/ too-short']],
  ['a list', [], ['/metadata invalid-type']],
])('RFC 7396: PATCH of metadata: %s', (_, metadata, expected) => {
  for (const resource of [Customer, Invoice] as Resource[]) {
    expect(faults(resource.patch.v1, { metadata })).toEqual(expected);
    if (expected.length === 0) expect(parsed(resource.patch.v1, { metadata })).toEqual({ metadata });
  }
});

test.each<[string, unknown, string[]]>([
  ['nothing', {}, []],
  ['nulls', { line1: null, country: null }, []],
  ['a country', { country: 'DE' }, []],
  ['no country', { country: 'de' }, ['/address/country invalid-country']],
  ['a number', { line1: 1 }, ['/address/line1 invalid-type']],
  ['a line of 1,001 characters', { city: repeat(1001) }, ['/address/city too-long']],
  ['an unknown line', { line3: 'x' }, ['/address/line3 unknown-field']],
  [
    'inherited names',
    { toString: 'x', constructor: 'x', prototype: 1 },
    ['/address/constructor', '/address/prototype', '/address/toString'].map((one) => `${one} unknown-field`),
  ],
  ['a list', [], ['/address invalid-type']],
  ['a text', 'Ulm', ['/address invalid-type']],
])('CONTRACT §4: an address holds its six lines and nothing else: %s', (_, address, expected) => {
  for (const operation of OPERATIONS) expect(customer(operation, { name: 'Ann', address })).toEqual(expected);
});

test('CONTRACT §4: an unknown field is 422, account_id, role and whatever an object inherits among them', () => {
  const names = [
    'account_id',
    'role',
    'version',
    'invoice_count',
    'toString',
    'constructor',
    'prototype',
    'a/b',
    'm~n',
    '',
  ];
  const expected = [
    '/',
    '/a~1b',
    '/account_id',
    '/constructor',
    '/invoice_count',
    '/m~0n',
    '/prototype',
    '/role',
    '/toString',
    '/version',
  ];
  for (const { resource, schema } of BODIES) {
    const body = {
      ...(resource.collection === 'customers' && { name: 'Ann' }),
      ...Object.fromEntries(names.map((name) => [name, 1])),
    };
    expect(faults(schema, body)).toEqual(expected.map((one) => `${one} unknown-field`).sort());
  }
});

test('CONTRACT §4: a relation that expand embeds is no field of a body', () => {
  for (const operation of OPERATIONS)
    expect(invoice(operation, { customer: null })).toEqual(['/customer unknown-field']);
});

/** RFC 6901 §4, read back. */
const unescaped = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

test('CONTRACT §10: a violation stands at its place, by RFC 6901, whatever the name', () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a'), minLength: 1, maxLength: 6 }),
    fc.string(),
    fc.constantFrom(...INHERITED),
  );
  fc.assert(
    fc.property(name, (one) => {
      fc.pre(one !== '__proto__' && !Object.hasOwn(Invoice.fields.v1, one));
      const [unknown = ''] = faults(Invoice.create.v1, { [one]: 1 });
      expect(unescaped(unknown.slice(0, -' unknown-field'.length))).toEqual([one]);
      const issues = v.safeParse(Invoice.create.v1, { metadata: { [one]: 1 } }).issues ?? [];
      for (const issue of issues) {
        expect(unescaped((violation(issue) as { pointer: string }).pointer)).toEqual(['metadata', one]);
      }
      expect(issues).not.toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('CONTRACT §10: all violations of a body are told at once', () => {
  const body = {
    status: 'paid',
    total_cents: -1,
    currency: 'usd',
    customer_id: '1',
    due_date: '2026-02-30',
    description: repeat(1001),
    metadata: { ...pairs(20), constructor: 1, 'a/b': repeat(501) },
    account_id: 'acct_2',
    constructor: 1,
    toString: 1,
    'x~y': 1,
  };
  const common = [
    '/account_id unknown-field',
    '/constructor unknown-field',
    '/customer_id invalid-id',
    '/description too-long',
    '/due_date invalid-date',
    '/metadata too-many',
    '/metadata/a~1b too-long',
    '/metadata/constructor invalid-type',
    '/status not-allowed',
    '/toString unknown-field',
    '/x~0y unknown-field',
  ];
  expect(invoice('create', body)).toEqual(
    [...common, '/currency invalid-currency', '/total_cents out-of-range'].sort(),
  );
  const { total_cents: amount, currency, ...rest } = body;
  expect(invoice('create', { ...rest, total: { amount, currency, constructor: 1, x: 1 } }, 'v2')).toEqual(
    [
      ...common,
      '/total/amount out-of-range',
      '/total/currency invalid-currency',
      '/total/x unknown-field',
      '/total/constructor unknown-field',
    ].sort(),
  );
});

test.each<[string, object, string[]]>([
  ['an amount and a currency', { total: { amount: 1, currency: 'EUR' } }, []],
  ['an amount', { total: { amount: 1 } }, []],
  ['no amount', { total: { currency: 'EUR' } }, ['/total/amount required']],
  ['nothing', { total: {} }, ['/total/amount required']],
  ['null', { total: null }, ['/total invalid-type']],
  ['a number', { total: 1 }, ['/total invalid-type']],
  ['a list', { total: [1] }, ['/total invalid-type']],
  ['another key', { total: { amount: 1, cents: 1 } }, ['/total/cents unknown-field']],
  ['an inherited key', { total: { amount: 1, toString: 1 } }, ['/total/toString unknown-field']],
  ['a null currency', { total: { amount: 1, currency: null } }, ['/total/currency invalid-currency']],
  ['a currency of its own', { currency: 'EUR' }, ['/currency unknown-field']],
  [
    'the v1 names',
    { total_cents: 1, amount_paid_cents: 1 },
    ['/amount_paid_cents unknown-field', '/total_cents unknown-field'],
  ],
])(
  'CONTRACT §12, v2: a money object holds its amount, perhaps its currency, and nothing else: %s',
  (_, body, expected) => {
    for (const operation of OPERATIONS) expect(invoice(operation, body, 'v2')).toEqual(expected);
  },
);

test('CONTRACT §4: read-only fields are accepted and ignored, whatever they hold', () => {
  const valid = { customers: details, invoices: terms.map(({ total_cents: _, currency: __, ...rest }) => rest) };
  for (const { resource, version, schema } of BODIES) {
    const names = Object.entries(resource.fields[version]).flatMap(([name, { access }]) =>
      access === 'read-only' ? [name] : [],
    );
    expect(names).toEqual(expect.arrayContaining(['id', 'created_at', 'updated_at']));
    const ignored = fc.dictionary(fc.constantFrom(...names), json, { noNullPrototype: true });
    fc.assert(
      fc.property(valid[resource.collection as keyof typeof valid] as fc.Arbitrary<object>, ignored, (body, more) => {
        expect(parsed(schema, { ...body, ...more })).toEqual(parsed(schema, copyOf(body)));
      }),
      { numRuns: 30 },
    );
  }
});

test.each<[Version, string[]]>([
  ['v1', ['id', 'amount_paid_cents', 'amount_due_cents', 'paid_at', 'canceled_at', 'created_at', 'updated_at']],
  ['v2', ['id', 'amount_paid', 'amount_due', 'paid_at', 'canceled_at', 'created_at', 'updated_at']],
])('CONTRACT §4: these are the read-only fields of an invoice: %s', (version, names) => {
  const lone = { id: '\ud800', [names[1] as string]: -1, [names[2] as string]: null, created_at: [1e300] };
  const rest = Object.fromEntries(names.map((name) => [name, { any: 'thing' }]));
  for (const operation of OPERATIONS) {
    expect(parsed(Invoice[operation][version], { ...rest, ...lone })).toEqual(parsed(Invoice[operation][version], {}));
  }
});

const CODES = [
  'required invalid-type invalid-text invalid-id invalid-date invalid-currency invalid-country',
  'too-long too-short too-many out-of-range not-allowed unknown-field',
].flatMap((line) => line.split(' '));

test('CONTRACT §10: whatever the JSON, each violation has a stable code and a sentence, none of a library', () => {
  for (const { resource, version, schema } of BODIES) {
    const names = fc.constantFrom(...Object.keys(resource.fields[version]), 'amount', 'country', ...INHERITED);
    const body = fc.oneof(json, fc.dictionary(names, json, { noNullPrototype: true }));
    fc.assert(
      fc.property(body, (one) => {
        for (const issue of v.safeParse(schema, one).issues ?? []) {
          const { code, detail, ...place } = violation(issue);
          expect(CODES).toContain(code);
          expect(detail).toMatch(/^(must|is) \S/);
          expect(place).toEqual({ pointer: expect.stringMatching(/^(\/|$)/) });
        }
      }),
      { numRuns: 60 },
    );
  }
});
