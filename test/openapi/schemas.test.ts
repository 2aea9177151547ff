import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import * as v from 'valibot';
import { EXPORTED_RESOURCES } from '#shared/invoicing/exported-resources.ts';
import { jsonSchema } from '#shared/openapi/json-schema.ts';
import { PARAMETERS } from '#shared/openapi/parameters.ts';
import { parseKey } from '#shared/platform/commit/idempotency.ts';
import { createPreconditionCheck, isNotModified } from '#shared/platform/http/caching.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { operations, readableResources, request } from '#test/support/requests/requests.ts';

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);

/** JSON Schema cannot express that texts with U+0000 or lone surrogates are rejected. */
const hasInvalidText = (value: unknown): boolean =>
  JSON.stringify(value, (_, one) => (typeof one === 'string' && !one.isWellFormed() ? '\0' : one)).includes('\\u0000');

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

/** The document has a pattern for currencies, not their list: `AAA` matches it, and the service rejects it. */
const hasUnlistedCurrency = (value: { readonly currency?: unknown }): boolean =>
  typeof value.currency === 'string' && /^[A-Z]{3}$/.test(value.currency) && !CURRENCIES.has(value.currency);

const IDS = Object.fromEntries([...readableResources.keys()].map((name) => [name, 1]));

const bodies = operations.flatMap(([name, operation]) => {
  const { body, returns } = operation;
  const [resource] = Object.values(returns);
  if (!body || !resource) return [];
  return VERSIONS.map((version) => {
    const whole = request(operation, version, IDS).sent.body as object;
    return { title: `${version} ${name}`, schema: body[version], whole, names: Object.keys(resource.fields[version]) };
  });
});

const cents = fc.oneof(fc.integer({ min: -1, max: 2 }), fc.constantFrom(999_999_999_999, 1_000_000_000_000, 1.5, '1'));
const money = fc.record({ amount: cents, currency: fc.constantFrom('USD', 'usd', 'EURO', 7) }, { requiredKeys: [] });
const text = fc.oneof(
  fc.string({ maxLength: 3 }),
  fc.constantFrom('x'.repeat(1000), 'x'.repeat(1001), '😀'.repeat(1000)),
);
const pairs = fc.dictionary(
  fc.constantFrom('', 'k', 'k'.repeat(40), 'k'.repeat(41)),
  fc.oneof(text, fc.constant(null)),
);
const many = fc.constantFrom(20, 21).map((n) => Object.fromEntries([...Array(n).keys()].map((i) => [`k${i}`, 'v'])));
const address = fc.dictionary(
  fc.constantFrom('line1', 'city', 'country', 'planet'),
  fc.constantFrom('NO', 'XX', null, 7),
);
const filter = fc.record(
  {
    email: fc.constant('a@example.com'),
    status: fc.constantFrom('draft', 'gone'),
    ...Object.fromEntries(['customer_id', 'invoice_id', 'payment_id'].map((name) => [name, fc.constantFrom(1, '1')])),
    created_before: fc.constantFrom('2026-11-21T09:30:00.000Z', '2026-11-21T09:30:00Z'),
    other: fc.constant(1),
  },
  { requiredKeys: [] },
);
const eventTypes = fc.array(fc.constantFrom('*', 'invoice.paid', 'invoice.lost'), { maxLength: 3 });
const any = fc.oneof(
  cents,
  money,
  text,
  pairs,
  many,
  address,
  filter,
  eventTypes,
  fc.constantFrom(null, true, [], 'USD', 'draft', 'open', 'card', '2026-02-28', '2026-02-30', '2026-2-3', 2 ** 53),
);

/** A rule compares the currency of a payment or refund with its invoice, so parsing accepts any value. */
const isLeftToRule = (body: object): boolean =>
  'amount_cents' in body && 'currency' in body && typeof body.currency !== 'string';

/** JSON Schema cannot express that a merge patch adds at most 20 pairs, because it may have more names, which it removes. */
const addsTooManyPairs = (title: string, { metadata }: { readonly metadata?: unknown }): boolean =>
  title.endsWith('/update') && Object.keys(metadata ?? {}).length > 20;

/** Valid bodies with up to two members changed to values that some field accepts or just rejects. */
const variantsOf = (whole: object, names: readonly string[]) => {
  const changes = fc.dictionary(fc.constantFrom(...names, 'account_id'), any, { maxKeys: 2 });
  return changes
    .map((change) => ({ ...whole, ...change }))
    .filter((body) => !hasInvalidText(body) && !hasUnlistedCurrency(body) && !isLeftToRule(body));
};

const RUNS = extent({ full: 300, part: 100 });

describe('any body: valid by its JSON Schema exactly when the service accepts it', () => {
  test.each(bodies)('the body of $title: accepted by both or by neither', ({ title, schema, whole, names }) => {
    const validate = ajv.compile(jsonSchema(schema));
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(variantsOf(whole, names), (value) => {
        fc.pre(!addsTooManyPairs(title, value));
        const isAccepted = v.is(schema, value);
        seen[`${isAccepted}`] += 1;
        expect([validate(value), value]).toEqual([isAccepted, value]);
      }),
      { numRuns: RUNS },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(RUNS / 15);
  });
});

/** The bodies that the document permits, separately for bodies that the service accepts and refuses. */
const agreed = (title: string, changes: readonly object[]) =>
  bodies
    .filter((one) => one.title.endsWith(title))
    .flatMap(({ schema, whole }) => {
      const validate = ajv.compile(jsonSchema(schema));
      return changes.map((change) => {
        const [isPermitted, isAccepted] = [validate({ ...whole, ...change }), v.is(schema, { ...whole, ...change })];
        return { change, isPermitted, isAccepted };
      });
    });

const FILTERS = { email: 'a@example.com', status: 'open', customer_id: 1, invoice_id: 1, payment_id: 1 };

test('an export of each type with each filter: permitted and accepted with its own filters alone [CONTRACT §4]', () => {
  const time = { created_from: '2026-11-21T09:30:00.000Z' };
  const cases = Object.entries(EXPORTED_RESOURCES).flatMap(([type, { filters }]) =>
    Object.entries(FILTERS).map(([name, value]) => ({
      change: { type, filter: { [name]: value, ...time } },
      isPermitted: filters.includes(name),
      isAccepted: filters.includes(name),
    })),
  );
  const found = agreed(
    'exports/create',
    cases.map(({ change }) => change),
  );
  expect(found).toEqual([...cases, ...cases]);
});

test.each([
  [['*'], true],
  [['invoice.paid'], true],
  [['invoice.paid', 'invoice.opened'], true],
  [['invoice.paid', 'invoice.opened', 'invoice.paid'], false],
  [['*', 'invoice.paid'], false],
  [['invoice.paid', '*'], false],
  [['*', '*'], false],
  [[], false],
])('the event types %j: permitted and accepted is %s [CONTRACT §15]', (event_types, expected) => {
  const change = { event_types };
  const found = [...agreed('webhook-endpoints/create', [change]), ...agreed('webhook-endpoints/update', [change])];
  expect(found).toEqual(Array(4).fill({ change, isPermitted: expected, isAccepted: expected }));
});

const isParsed = (parse: () => unknown): boolean => {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
};

test.each([
  ['If-Match', '', false],
  ['If-Match', '*', true],
  ['If-Match', '"3", W/"4"', true],
  ['If-Match', '3', false],
  ['If-Match', '*, "3"', false],
  ['Idempotency-Key', '', false],
  ['Idempotency-Key', '6f9b1d3e-2c4a-4e58-9d7b-0a1c2e3f4b5d', true],
  ['Idempotency-Key', 'order-7"', true],
  ['Idempotency-Key', '"order 7 \\" \\\\"', true],
  ['Idempotency-Key', '"order 7\\"', false],
  ['Idempotency-Key', '"order 7', false],
  ['Idempotency-Key', 'order 7', false],
  ['Idempotency-Key', '""', false],
  ['Idempotency-Key', 'x'.repeat(256), false],
  ['If-None-Match', '', true],
] as const)(
  'the header %s with the value %j: permitted and accepted is %s [CONTRACT §7, §8]',
  (name, value, expected) => {
    const parsers = {
      'If-Match': () => createPreconditionCheck({ ifMatch: value, ifNoneMatch: undefined }),
      'Idempotency-Key': () => parseKey(value, false),
      'If-None-Match': () => isNotModified(value, '"3"'),
    };
    expect([ajv.validate(PARAMETERS[name].schema, value), isParsed(parsers[name])]).toEqual([expected, expected]);
  },
);
