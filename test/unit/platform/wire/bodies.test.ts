import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { createCustomer } from '#shared/invoicing/customers/rules.ts';
import { Export } from '#shared/invoicing/exports/resource.ts';
import { requestExport } from '#shared/invoicing/exports/rules.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { DEFAULT_TERMS } from '#shared/invoicing/invoices/rules.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { createSerializer } from '#shared/platform/wire/field.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { violation } from '#shared/platform/wire/violation.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { copyOf, details, INHERITED, json, terms } from '#test/unit/invoicing/arbitrary.ts';
import { EMOJI, faults, parse, repeat } from './body.ts';

type Operation = 'create' | 'replace' | 'patch';
const OPERATIONS = ['create', 'replace', 'patch'] as const;

/** The schema of every body. */
const BODIES = [Customer as Resource, Invoice as Resource].flatMap((resource) =>
  OPERATIONS.flatMap((operation) =>
    VERSIONS.map((version) => ({ resource, operation, version, schema: resource[operation][version] })),
  ),
);

const customer = (operation: Operation, body: object, version: Version = 'v1') =>
  faults(Customer[operation][version], body);
const invoice = (operation: Operation, body: unknown, version: Version = 'v1') =>
  faults(Invoice[operation][version], body);

test('fields left out of a create: their defaults [CONTRACT §4]', () => {
  for (const version of VERSIONS) {
    expect(parse(Invoice.create[version], {})).toEqual({ ...DEFAULT_TERMS, items: [] });
    expect(parse(Customer.create[version], { name: 'Ann' })).toEqual({
      name: 'Ann',
      email: null,
      tax_id: null,
      address: null,
      metadata: {},
    });
  }
});

test('fields left out of a PUT: their defaults, but no status, total and currency [CONTRACT §4]', () => {
  const { status: _, total_cents: __, currency: ___, ...none } = DEFAULT_TERMS;
  expect(parse(Invoice.replace.v1, {})).toEqual(none);
  expect(parse(Invoice.replace.v1, { total_cents: 5 })).toEqual({ total_cents: 5, ...none });
  expect(parse(Invoice.replace.v2, {})).toEqual(none);
  expect(parse(Invoice.replace.v2, { total: { amount: 5 } })).toEqual({ total_cents: 5, ...none });
  for (const version of VERSIONS) {
    expect(parse(Customer.replace[version], { name: 'Ann' })).toEqual(parse(Customer.create.v1, { name: 'Ann' }));
  }
});

test('fields left out of a PATCH: absent [CONTRACT §4]', () => {
  for (const { operation, schema } of BODIES) if (operation === 'patch') expect(parse(schema, {})).toEqual({});
});

test('a required field left out of a create or a PUT: 422 [CONTRACT §4]', () => {
  for (const version of VERSIONS) {
    expect(customer('create', {}, version)).toEqual(['/name required']);
    expect(customer('replace', { email: null }, version)).toEqual(['/name required']);
    expect(customer('patch', {}, version)).toEqual([]);
  }
});

test.each<[unknown]>([[null], [[]], [[{}]], ['text'], [1], [true]])(
  'the body %j, which is no object: 422 at the pointer of the whole body [CONTRACT §10]',
  (body) => {
    for (const { schema } of BODIES) expect(faults(schema, body)).toEqual([' invalid-type']);
  },
);

test.each<['customer' | 'invoice', 'accepted' | '422', string]>([
  ['customer', 'accepted', 'email tax_id address'],
  ['customer', '422', 'name metadata'],
  ['invoice', 'accepted', 'customer_id due_date description'],
  ['invoice', '422', 'status total_cents currency metadata'],
])('null for a field of a %s: %s for %s [CONTRACT §4]', (noun, outcome, names) => {
  const resource: Resource = noun === 'customer' ? Customer : Invoice;
  for (const field of names.split(' ')) {
    const body = { ...(noun === 'customer' && { name: 'Ann' }), [field]: null };
    const expected = outcome === '422' ? [expect.stringMatching(new RegExp(`^/${field} `))] : [];
    for (const operation of OPERATIONS) expect(faults(resource[operation].v1, body)).toEqual(expected);
  }
});

test.each<[Operation, string[]]>([
  ['create', ['draft', 'open']],
  ['replace', ['draft', 'open', 'paid', 'canceled']],
  ['patch', ['draft', 'open', 'paid', 'canceled']],
])('the status in a %s: only the statuses that it allows, otherwise 422 [CONTRACT §4]', (operation, allowed) => {
  for (const version of VERSIONS) {
    for (const status of ['draft', 'open', 'paid', 'canceled', 'Open', 'void', '', 1, null, ['open'], 'constructor']) {
      const expected = allowed.includes(status as string) ? [] : ['/status not-allowed'];
      expect(invoice(operation, { status }, version)).toEqual(expected);
    }
  }
});

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, 'x']));
const removed = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`removed${i}`, null]));

test.each<[string, unknown, string[]]>([
  ['no pairs', {}, []],
  ['20 pairs', pairs(20), []],
  ['21 pairs', pairs(21), ['/metadata too-many']],
  ['keys and values of the greatest lengths', { [repeat(40, EMOJI)]: repeat(500, EMOJI) }, []],
  ['a key of 41 characters', { [repeat(41)]: 'x' }, [`/metadata/${repeat(41)} too-long`]],
  ['a value of 501 characters', { a: repeat(501) }, ['/metadata/a too-long']],
  ['an empty value', { a: '' }, []],
  ['an empty key', { '': 'x' }, ['/metadata/ too-short']],
  ['U+0000 in a key', { 'a\0': 'x' }, ['/metadata/a\0 invalid-text']],
  ['a lone surrogate in a value', { a: '\udfff' }, ['/metadata/a invalid-text']],
  ['a number as a value', { a: 1 }, ['/metadata/a invalid-type']],
  ['an object as a value', { a: {} }, ['/metadata/a invalid-type']],
  ['a list instead of an object', [], ['/metadata invalid-type']],
  ['a text instead of an object', 'a', ['/metadata invalid-type']],
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
  ['21 pairs, one of them bad', { ...pairs(20), a: 1 }, ['/metadata too-many']],
  ['the key __proto__', JSON.parse('{"__proto__":"x"}'), ['/metadata/__proto__ not-allowed']],
  ['keys that every object inherits', { constructor: 'a', toString: 'b', hasOwnProperty: 'c', prototype: 'd' }, []],
  [
    'bad values under such keys',
    { constructor: 1, toString: null },
    ['/metadata/constructor invalid-type', '/metadata/toString invalid-type'],
  ],
])('metadata with %s: checked against its limits [CONTRACT §4]', (_, metadata, expected) => {
  for (const operation of ['create', 'replace'] as const) {
    expect(invoice(operation, { metadata })).toEqual(expected);
    expect(customer(operation, { name: 'Ann', metadata })).toEqual(expected);
    if (expected.length === 0) expect(parse(Invoice[operation].v1, { metadata }).metadata).toEqual(metadata);
  }
});

test.each<[string, unknown, string[]]>([
  ['null as a value', { a: null, constructor: null }, []],
  ['20 pairs, and 21 keys that are removed', { ...pairs(20), ...removed(21) }, []],
  ['21 pairs, and a key that is removed', { ...pairs(21), ...removed(1) }, ['/metadata too-many']],
  ['null for the key __proto__', JSON.parse('{"__proto__":null}'), ['/metadata/__proto__ not-allowed']],
  ['a number as a value', { a: 1 }, ['/metadata/a invalid-type']],
  ['a value of 501 characters', { a: repeat(501) }, ['/metadata/a too-long']],
  ['a key of 41 characters', { [repeat(41)]: null }, [`/metadata/${repeat(41)} too-long`]],
  ['an empty key', { '': null }, ['/metadata/ too-short']],
  ['a list instead of an object', [], ['/metadata invalid-type']],
])('PATCH of metadata with %s: its keys and values are checked (RFC 7396) [CONTRACT §4]', (_, metadata, expected) => {
  for (const resource of [Customer, Invoice] as Resource[]) {
    expect(faults(resource.patch.v1, { metadata })).toEqual(expected);
    if (expected.length === 0) expect(parse(resource.patch.v1, { metadata })).toEqual({ metadata });
  }
});

test.each<[string, unknown, string[]]>([
  ['no lines', {}, []],
  ['nulls', { line1: null, country: null }, []],
  ['a country', { country: 'DE' }, []],
  ['a country in lower case', { country: 'de' }, ['/address/country invalid-country']],
  ['a number as a line', { line1: 1 }, ['/address/line1 invalid-type']],
  ['a line of 1,001 characters', { city: repeat(1001) }, ['/address/city too-long']],
  ['an unknown line', { line3: 'x' }, ['/address/line3 unknown-field']],
  [
    'inherited names',
    { toString: 'x', constructor: 'x', prototype: 1 },
    ['/address/constructor', '/address/prototype', '/address/toString'].map((one) => `${one} unknown-field`),
  ],
  ['a list instead of an object', [], ['/address invalid-type']],
  ['a text instead of an object', 'Ulm', ['/address invalid-type']],
])('an address with %s: only its six lines, otherwise 422 [CONTRACT §4]', (_, address, expected) => {
  for (const operation of OPERATIONS) expect(customer(operation, { name: 'Ann', address })).toEqual(expected);
});

test.each<[string, object, string[]]>([
  ['a name of one character', { name: EMOJI }, []],
  ['an empty name', { name: '' }, ['/name too-short']],
  ['an email of 320 characters', { email: `${repeat(318, EMOJI)}@x` }, []],
  ['an email of 321 characters', { email: `${repeat(319)}@x` }, ['/email too-long']],
  ['a long email without @', { email: repeat(321) }, ['/email invalid-email', '/email too-long']],
])('a customer with %s: checked against the limits of its fields [CONTRACT §4]', (_, change, expected) => {
  for (const version of VERSIONS)
    for (const operation of OPERATIONS)
      expect(customer(operation, { name: 'Ann', ...change }, version)).toEqual(expected);
});

test.each<[string, 'accepted' | 'refused']>([
  ['a@b', 'accepted'],
  ['pat+x@example.com', 'accepted'],
  ['Ä.ö-😀@例え.テスト', 'accepted'],
  ['"<a>"@[127.0.0.1]', 'accepted'],
  ['', 'refused'],
  ['@', 'refused'],
  ['a@', 'refused'],
  ['@b', 'refused'],
  ['ab', 'refused'],
  ['a@b@c', 'refused'],
  ['a@@b', 'refused'],
  ['pat x@example.com', 'refused'],
  [' a@b', 'refused'],
  ['a@b\n', 'refused'],
  ['a\u00a0@b', 'refused'],
  ['a@\ufeffb', 'refused'],
  ['a@b\u2028c', 'refused'],
  ['a\u200b@b', 'refused'],
  ['a@b\u00adc', 'refused'],
  ['a@b\u{e0001}', 'refused'],
])('the email %j: %s in a body and in the filter of an export [CONTRACT §4]', (email, outcome) => {
  const faultsAt = (pointer: string) => (outcome === 'accepted' ? [] : [`${pointer} invalid-email`]);
  for (const version of VERSIONS) {
    for (const operation of OPERATIONS)
      expect(customer(operation, { name: 'Ann', email }, version)).toEqual(faultsAt('/email'));
    const terms = { type: 'customers', format: 'csv', filter: { email } };
    expect(faults(Export.create[version], terms)).toEqual(faultsAt('/filter/email'));
  }
});

const CREATION = { id: 7, at: '2026-11-21T09:30:00.000Z' };

test('a customer that was stored before a limit became narrower: still readable [CONTRACT §4]', () => {
  const terms = { name: '', email: repeat(1000), tax_id: null, address: null, metadata: {} };
  for (const version of VERSIONS)
    expect(createSerializer(Customer.fields[version])({ ...createCustomer(terms, CREATION) })).toMatchObject(terms);
});

test.each<[string, object, string[]]>([
  ['of 320 characters', { email: `${repeat(318)}@x` }, []],
  ['of 321 characters', { email: `${repeat(319)}@x` }, ['/filter/email too-long']],
])('an export with a filter by an email %s: the limit of the field [CONTRACT §4]', (_, filter, expected) => {
  for (const version of VERSIONS)
    expect(faults(Export.create[version], { type: 'customers', format: 'csv', filter })).toEqual(expected);
});

test('an export that was stored before the limit of its filter became narrower: still readable [CONTRACT §4]', () => {
  const terms = { type: 'customers', format: 'csv', filter: { email: repeat(1000) } } as const;
  expect(createSerializer(Export.fields.v1)({ ...requestExport(terms, CREATION) })).toMatchObject(terms);
});

test('an unknown field, such as account_id, role or an inherited name: 422 [CONTRACT §4]', () => {
  const names = 'account_id role version invoice_count toString constructor prototype a/b m~n'.split(' ').concat('');
  const expected = names.map((name) => `/${name.replace('~', '~0').replace('/', '~1')} unknown-field`);
  for (const { resource, schema } of BODIES) {
    const body = Object.fromEntries(names.map((name) => [name, 1]));
    expect(faults(schema, { ...body, ...(resource === Customer && { name: 'Ann' }) })).toEqual(expected.sort());
  }
});

test('a relation that expand embeds, in a body: 422 unknown field [CONTRACT §4]', () => {
  for (const operation of OPERATIONS)
    expect(invoice(operation, { customer: null })).toEqual(['/customer unknown-field']);
});

/** The tokens of a JSON pointer (RFC 6901 §4). */
const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

test('a violation under any name: its pointer is escaped by RFC 6901 [CONTRACT §10]', () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a'), minLength: 1, maxLength: 6 }),
    fc.string(),
    fc.constantFrom(...INHERITED),
  );
  fc.assert(
    fc.property(name, (one) => {
      fc.pre(one !== '__proto__' && !Object.hasOwn(Invoice.fields.v1, one));
      const [unknown = ''] = faults(Invoice.create.v1, { [one]: 1 });
      expect(tokensOf(unknown.slice(0, -' unknown-field'.length))).toEqual([one]);
      const issues = v.safeParse(Invoice.create.v1, { metadata: { [one]: 1 } }).issues ?? [];
      for (const issue of issues) {
        expect(tokensOf((violation(issue) as { pointer: string }).pointer)).toEqual(['metadata', one]);
      }
      expect(issues).not.toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('several violations in a body: all reported at once [CONTRACT §10]', () => {
  const rest = {
    status: 'paid',
    customer_id: '1',
    due_date: '2026-02-30',
    metadata: { ...pairs(18), constructor: 1, 'a/b': repeat(501) },
    toString: 1,
  };
  const common = [
    ...['/customer_id invalid-id', '/due_date invalid-date', '/status not-allowed', '/toString unknown-field'],
    ...['/metadata/a~1b too-long', '/metadata/constructor invalid-type'],
  ];
  const v1 = ['/currency invalid-currency', '/total_cents out-of-range'];
  expect(invoice('create', { ...rest, total_cents: -1, currency: 'usd' })).toEqual([...common, ...v1].sort());
  const v2 = ['/total/amount out-of-range', '/total/currency invalid-currency', '/total/x unknown-field'];
  const total = { amount: -1, currency: 'usd', x: 1 };
  expect(invoice('create', { ...rest, total }, 'v2')).toEqual([...common, ...v2].sort());
});

test.each<[string, object, string[]]>([
  ['an amount and a currency', { total: { amount: 1, currency: 'EUR' } }, []],
  ['an amount', { total: { amount: 1 } }, []],
  ['no amount', { total: { currency: 'EUR' } }, ['/total/amount required']],
  ['no keys', { total: {} }, ['/total/amount required']],
  ['null instead of an object', { total: null }, ['/total invalid-type']],
  ['a number instead of an object', { total: 1 }, ['/total invalid-type']],
  ['a list instead of an object', { total: [1] }, ['/total invalid-type']],
  ['another key', { total: { amount: 1, cents: 1 } }, ['/total/cents unknown-field']],
  ['an inherited key', { total: { amount: 1, toString: 1 } }, ['/total/toString unknown-field']],
  ['a null currency', { total: { amount: 1, currency: null } }, ['/total/currency invalid-currency']],
  ['a currency outside the object', { currency: 'EUR' }, ['/currency unknown-field']],
  [
    'the names of v1',
    { total_cents: 1, amount_paid_cents: 1 },
    ['/amount_paid_cents unknown-field', '/total_cents unknown-field'],
  ],
])(
  'a v2 money object with %s: amount required, currency optional, other keys 422 [CONTRACT §12]',
  (_, body, expected) => {
    for (const operation of OPERATIONS) expect(invoice(operation, body, 'v2')).toEqual(expected);
  },
);

test('read-only fields with any value: accepted and ignored [CONTRACT §4]', () => {
  const valid = { customers: details, invoices: terms.map(({ total_cents: _, currency: __, ...rest }) => rest) };
  for (const { resource, version, schema } of BODIES) {
    const names = Object.entries(resource.fields[version]).flatMap(([name, { access }]) =>
      access === 'read-only' ? [name] : [],
    );
    expect(names).toEqual(expect.arrayContaining(['id', 'created_at', 'updated_at']));
    const ignored = fc.dictionary(fc.constantFrom(...names), json, { noNullPrototype: true });
    fc.assert(
      fc.property(valid[resource.collection as keyof typeof valid] as fc.Arbitrary<object>, ignored, (body, more) => {
        expect(parse(schema, { ...body, ...more })).toEqual(parse(schema, copyOf(body)));
      }),
      { numRuns: 30 },
    );
  }
});

test.each<[Version, string[]]>([
  ['v1', ['id', 'amount_paid_cents', 'amount_due_cents', 'paid_at', 'canceled_at', 'created_at', 'updated_at']],
  ['v2', ['id', 'amount_paid', 'amount_due', 'paid_at', 'canceled_at', 'created_at', 'updated_at']],
])('the read-only fields of an invoice in %s: accepted and ignored [CONTRACT §4]', (version, names) => {
  const lone = { id: '\ud800', [names[1] as string]: -1, [names[2] as string]: null, created_at: [1e300] };
  const rest = Object.fromEntries(names.map((name) => [name, { any: 'thing' }]));
  for (const operation of OPERATIONS) {
    expect(parse(Invoice[operation][version], { ...rest, ...lone })).toEqual(parse(Invoice[operation][version], {}));
  }
});

const CODES = [
  'required invalid-type invalid-text invalid-id invalid-date invalid-email invalid-currency invalid-country',
  'too-long too-short too-many out-of-range not-allowed unknown-field',
].flatMap((line) => line.split(' '));

test('any JSON: each violation has a stable code and a sentence that comes from no library’s [CONTRACT §10]', () => {
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
      { numRuns: extent({ full: 60, part: 20 }) },
    );
  }
});
