import assert from 'node:assert/strict';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import { amend, restate, type Invoice as Stored } from '#shared/invoicing/invoices/rules.ts';
import { Refusal } from '#shared/platform/problem.ts';
import { attributesOf, type Resource, written } from '#shared/platform/resource.ts';
import { type Place, pointerTo } from '#shared/platform/wire/money.ts';
import { VERSIONS, type Version } from '#shared/platform/wire/version.ts';
import { cents, copyOf, currency, customer, details, invoice, partOf, terms } from '#test/unit/invoicing/arbitrary.ts';
import { faults, parsed } from './body.ts';

const AT = '2026-11-21T09:30:00.000Z';

type Json = Record<string, unknown>;

/** A v1 body or member as v2 writes it, by the words of CONTRACT §4 v2. */
const inMoney = ({ currency, ...rest }: Json): Json =>
  Object.fromEntries(
    Object.entries(rest).map(([name, value]) => {
      const money = { amount: value, ...(currency !== undefined && { currency }) };
      return name.endsWith('_cents') ? [name.replace(/_cents$/, ''), money] : [name, value];
    }),
  );

/** A body that v2 can say, too: its money object has no currency without an amount. */
const sayable = (body: Json): boolean => !('currency' in body) || 'total_cents' in body;

const status = fc.constantFrom('draft', 'open');
const invoiceBody = fc.record({ terms, status }).chain(({ terms, status }) => partOf({ ...terms, status } as Json));

test('CONTRACT §4 v2: a create says the same in v1 and with money objects', () => {
  fc.assert(
    fc.property(invoiceBody.filter(sayable), (body) => {
      assert.deepEqual(parsed(Invoice.create.v2, inMoney(body)), parsed(Invoice.create.v1, body));
    }),
  );
  fc.assert(
    fc.property(details, (body) => {
      assert.deepEqual(parsed(Customer.create.v2, copyOf(body)), parsed(Customer.create.v1, body));
    }),
  );
});

test('CONTRACT §4 v2: a currency without a total is a money object of 0', () => {
  fc.assert(
    fc.property(currency, (code) => {
      const body = { currency: code };
      const v2 = { total: { amount: 0, currency: code } };
      assert.deepEqual(parsed(Invoice.create.v2, v2), parsed(Invoice.create.v1, body));
    }),
  );
});

const outcome = (change: () => Stored): unknown => {
  try {
    return change();
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
};

test('CONTRACT §4 v2: a replacement has the same outcome in v1 and with money objects', () => {
  fc.assert(
    fc.property(invoiceBody.filter(sayable), invoice, (body, before) => {
      const v1 = parsed(Invoice.replace.v1, body);
      const v2 = parsed(Invoice.replace.v2, inMoney(body));
      if ('total_cents' in body) assert.deepEqual(v2, v1);
      assert.deepEqual(
        outcome(() => restate(before, v2, AT)),
        outcome(() => restate(before, v1, AT)),
      );
    }),
  );
});

test('CONTRACT §4 v2: a patch says the same in v1 and with money objects', () => {
  const writable = fc.oneof(status, fc.constantFrom('paid', 'canceled'));
  const patch = fc.record({ terms, writable }).chain((one) => partOf({ ...one.terms, status: one.writable } as Json));
  fc.assert(
    fc.property(patch.filter(sayable), invoice, (body, before) => {
      const v1 = parsed(Invoice.patch.v1, body);
      const v2 = parsed(Invoice.patch.v2, inMoney(body));
      assert.deepEqual(v2, v1);
      assert.deepEqual(
        outcome(() => amend(before, v2, AT)),
        outcome(() => amend(before, v1, AT)),
      );
    }),
  );
});

test('CONTRACT §4 v2: a patch of an amount leaves the currency as it is', () => {
  expect(parsed(Invoice.patch.v2, { total: { amount: 5 } })).toEqual({ total_cents: 5 });
});

test('CONTRACT §4 v2: a body is refused in both versions for the same reason, each at its own place', () => {
  const bad = fc.record(
    {
      status: fc.constantFrom<unknown>('open', 'void', null),
      total_cents: fc.oneof<fc.Arbitrary<unknown>[]>(cents, fc.constantFrom(-1, null, 1.5, '1')),
      currency: fc.constantFrom<unknown>('EUR', 'eur', null),
      customer_id: fc.constantFrom<unknown>(1, 0, null),
      x: fc.constant(1),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const currency = pointerTo('v2', { field: 'currency', amount: 'total_cents' });
  const places = { '/total_cents': pointerTo('v2', { amount: 'total_cents' }), '/currency': currency };
  expect(places).toEqual({ '/total_cents': '/total/amount', '/currency': '/total/currency' });
  const moved = (fault: string): string => {
    const [pointer = '', code] = fault.split(' ');
    return `${places[pointer as keyof typeof places] ?? pointer} ${code}`;
  };
  fc.assert(
    fc.property(bad.filter(sayable), (body) => {
      for (const operation of ['create', 'replace', 'patch'] as const) {
        const v1 = faults(Invoice[operation].v1, body);
        expect(faults(Invoice[operation].v2, inMoney(body))).toEqual(v1.map(moved).sort());
      }
    }),
  );
});

test.each<[Place, Version, string]>([
  [{ amount: 'total_cents' }, 'v1', '/total_cents'],
  [{ amount: 'total_cents' }, 'v2', '/total/amount'],
  [{ amount: 'unit_amount_cents' }, 'v2', '/unit_amount/amount'],
  [{ amount: 'total_cents', field: 'currency' }, 'v1', '/currency'],
  [{ amount: 'total_cents', field: 'currency' }, 'v2', '/total/currency'],
  [{ field: 'status' }, 'v1', '/status'],
  [{ field: 'status' }, 'v2', '/status'],
  [{}, 'v2', ''],
])('%j in %s: the pointer leads to it in the body of that version [CONTRACT §10]', (place, version, pointer) => {
  expect(pointerTo(version, place)).toBe(pointer);
});

const RESOURCES = [
  { resource: Invoice as Resource, row: invoice as fc.Arbitrary<object> },
  { resource: Customer as Resource, row: customer as fc.Arbitrary<object> },
];

/** What a store adds to a row, of which no client learns. */
const STORED = { account_id: 'acct_1', write_id: 'a', by_status: 'acct_1#open', by_email: 'acct_1#a' };

const INVOICE_V1 =
  'id status total_cents currency customer_id due_date description metadata amount_paid_cents amount_due_cents paid_at canceled_at created_at updated_at';
const INVOICE_V2 =
  'id status total customer_id due_date description metadata amount_paid amount_due paid_at canceled_at created_at updated_at';
const CUSTOMER = 'id name email tax_id address metadata created_at updated_at';

test.each<[string, Resource, Version, string]>([
  ['invoice', Invoice, 'v1', INVOICE_V1],
  ['invoice', Invoice, 'v2', INVOICE_V2],
  ['customer', Customer, 'v1', CUSTOMER],
  ['customer', Customer, 'v2', CUSTOMER],
])(
  'CONTRACT §4: a member shows these fields, in this order, and no other attribute of its row: %s',
  (noun, resource, version, names) => {
    const row = RESOURCES.find((one) => one.resource === resource)?.row as fc.Arbitrary<object>;
    fc.assert(
      fc.property(row, (stored) => {
        const member = written(resource.fields[version], { ...stored, ...STORED });
        expect([noun, Object.keys(member)]).toEqual([noun, names.split(' ')]);
      }),
      { numRuns: 30 },
    );
  },
);

test('CONTRACT §4 v2: every valid row is written in both versions, and v2 is v1 with money objects', () => {
  for (const { resource, row } of RESOURCES) {
    fc.assert(
      fc.property(row, (stored) => {
        const v1 = written(resource.fields.v1, { ...stored, ...STORED });
        assert.deepEqual(written(resource.fields.v2, { ...stored, ...STORED }), inMoney(v1));
        for (const [name, value] of Object.entries(v1)) {
          if (name in stored) assert.deepEqual(value, stored[name as keyof typeof stored]);
        }
      }),
    );
  }
});

/** The same value, the members of its objects in the opposite order. */
const reversed = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([name, held]) => [name, reversed(held)]),
      )
    : value;

test('CONTRACT §7: one strong tag stands for one sequence of bytes, though DynamoDB’s maps have no order', () => {
  for (const { resource, row } of RESOURCES) {
    fc.assert(
      fc.property(row, fc.constantFrom(...VERSIONS), (stored, version) => {
        const bytes = (of: unknown) => JSON.stringify(written(resource.fields[version], of as Json));
        expect(bytes(reversed(stored))).toBe(bytes(stored));
      }),
    );
  }
});

test('CONTRACT §4: a member sent back as a replacement changes nothing, in both versions', () => {
  fc.assert(
    fc.property(invoice, fc.constantFrom(...VERSIONS), (stored, version) => {
      const body = written(Invoice.fields[version], stored as unknown as Json);
      expect(restate(stored, parsed(Invoice.replace[version], copyOf(body)), AT)).toBe(stored);
    }),
  );
});

const picked = (row: object, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)));

test('§4 Partial responses 4: the attributes of any selection of fields are enough to write just those', () => {
  for (const { resource, row } of RESOURCES) {
    for (const version of VERSIONS) {
      const fields = resource.fields[version];
      fc.assert(
        fc.property(row, fc.shuffledSubarray(Object.keys(fields)), (stored, names) => {
          const attributes = attributesOf(fields, names);
          expect(new Set(attributes).size).toBe(attributes.length);
          expect(Object.keys(stored)).toEqual(expect.arrayContaining(attributes));
          const part = written(fields, picked(stored, attributes), names);
          const whole = written(fields, stored as Json);
          assert.deepEqual(part, picked(whole, names));
          expect(Object.keys(part)).toEqual(Object.keys(whole).filter((name) => names.includes(name)));
        }),
      );
    }
  }
});

test('DESIGN: the schema is the serializer: a stored value that does not fit is a fault, never sent', () => {
  fc.assert(
    fc.property(
      invoice,
      fc.constantFrom('status', 'total_cents', 'currency', 'due_date', 'created_at'),
      (stored, name) => {
        for (const version of VERSIONS) {
          const row = { ...stored, [name]: 'SECRET' };
          expect(() => written(Invoice.fields[version], row)).toThrow(TypeError);
          expect(() => written(Invoice.fields[version], row)).not.toThrow(/SECRET/);
        }
      },
    ),
  );
});
