import { expect, test } from '@jest/globals';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { normalForm, parseSelection } from '#shared/platform/http/request/query.ts';
import type { Violation } from '#shared/platform/problem.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import fc from '#test/support/random/fast-check.ts';
import { INHERITED } from '#test/unit/invoicing/arbitrary.ts';

const names = fc.array(fc.oneof(fc.constantFrom('id', 'status', 'Status', 'total_cents', '', ' id'), fc.string()), {
  minLength: 1,
});
const unbroken = names.map((list) => list.map((name) => name.replaceAll(',', '')));

test('any fields: one normal form, sorted and unique, that is its own normal form [CONTRACT §6]', () => {
  fc.assert(
    fc.property(unbroken, (list) => {
      const form = normalForm(list.join(','));
      expect(form).toEqual([...new Set(list)].sort());
      expect(normalForm(form.join(','))).toEqual(form);
    }),
  );
});

const select = (parameters: Record<string, string>, resource: Resource = Invoice, version: Version = 'v1') => {
  const violations: Violation[] = [];
  const selection = parseSelection(
    resource.fields[version],
    resource.relations,
    new Map(Object.entries(parameters)),
    violations,
  );
  return { ...selection, violations };
};

test('no fields: every field, with and without expand [CONTRACT §6]', () => {
  expect(select({})).toEqual({ names: undefined, expand: [], attributes: undefined, violations: [] });
  expect(select({ expand: 'customer' })).toEqual({
    names: undefined,
    expand: ['customer'],
    attributes: undefined,
    violations: [],
  });
});

test.each<[string, Version, string[]]>([
  ['id', 'v1', ['id']],
  ['status,id', 'v1', ['id', 'status']],
  ['amount_due_cents', 'v1', ['amount_paid_cents', 'status', 'total_cents']],
  ['total', 'v2', ['currency', 'total_cents']],
  ['amount_due', 'v2', ['amount_paid_cents', 'currency', 'status', 'total_cents']],
])(
  'fields=%s in %s: selects only the stored attributes that these are made of [§4, CONTRACT §6]',
  (fields, version, attributes) => {
    const selection = select({ fields }, Invoice, version);
    expect(selection.violations).toEqual([]);
    expect([...new Set(selection.attributes)].sort()).toEqual(attributes);
  },
);

test('expand=customer with fields: also reads the relation [CONTRACT §6]', () => {
  const { fields, expand, attributes = [] } = select({ fields: 'status', expand: 'customer' });
  expect([fields, expand]).toEqual([['status'], ['customer']]);
  expect([...new Set(attributes)].sort()).toEqual(['customer_id', 'status']);
});

test('expand=customer,customer: the same as expand=customer [CONTRACT §12]', () => {
  expect(select({ expand: 'customer,customer' })).toEqual(select({ expand: 'customer' }));
});

test.each<[Record<string, string>, string, number]>([
  [{ fields: '' }, 'fields', 1],
  [{ fields: 'id,' }, 'fields', 1],
  [{ fields: ',' }, 'fields', 1],
  [{ fields: 'id, status' }, 'fields', 1],
  [{ fields: 'ID' }, 'fields', 1],
  [{ fields: 'customer' }, 'fields', 1],
  [{ fields: 'account_id,write_id,by_status,version' }, 'fields', 4],
  [{ fields: 'metadata.a' }, 'fields', 1],
  [{ fields: 'total' }, 'fields', 1],
  [{ fields: INHERITED.join(',') }, 'fields', INHERITED.length],
  [{ expand: '' }, 'expand', 1],
  [{ expand: 'invoice' }, 'expand', 1],
  [{ expand: 'customer,customer_id' }, 'expand', 1],
  [{ expand: INHERITED.join(',') }, 'expand', INHERITED.length],
])('%j: 422 naming the allowed ones [CONTRACT §6, §12]', (parameters, parameter, count) => {
  const { violations } = select(parameters);
  expect(violations).toHaveLength(count);
  const allowed = parameter === 'fields' ? Object.keys(Invoice.fields.v1) : ['customer'];
  for (const violation of violations) expect(violation).toMatchObject({ parameter, code: 'not-allowed' });
  expect(violations[0]?.detail).toContain(`is not one of ${allowed.join(', ')}`);
  for (const { detail } of violations.slice(1)) expect(detail).toMatch(/^".*" is unknown, too$/);
});

test('a v1 field under v2, or expand=customer on a customer: 422 [§4, CONTRACT §6]', () => {
  expect(select({ fields: 'total_cents,currency' }, Invoice, 'v2').violations).toHaveLength(2);
  expect(select({ expand: 'customer' }, Customer).violations).toHaveLength(1);
});
