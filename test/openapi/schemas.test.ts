import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import * as v from 'valibot';
import { jsonSchema } from '#shared/openapi/json-schema.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { operations, readableResources, request } from '#test/support/requests.ts';

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
const any = fc.oneof(
  cents,
  money,
  text,
  pairs,
  many,
  address,
  fc.constantFrom(null, true, [], 'USD', 'draft', 'open', 'card', '2026-02-28', '2026-02-30', '2026-2-3', 2 ** 53),
);

/** Valid bodies with up to two members changed to values that some field accepts or just rejects. */
const variantsOf = (whole: object, names: readonly string[]) => {
  const changes = fc.dictionary(fc.constantFrom(...names, 'account_id'), any, { maxKeys: 2 });
  return changes
    .map((change) => ({ ...whole, ...change }))
    .filter((body) => !hasInvalidText(body) && !hasUnlistedCurrency(body));
};

describe('any body: valid by its JSON Schema exactly when the service accepts it', () => {
  test.each(bodies)('the body of $title: accepted by both or by neither', ({ schema, whole, names }) => {
    const validate = ajv.compile(jsonSchema(schema));
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(variantsOf(whole, names), (value) => {
        const isAccepted = v.is(schema, value);
        seen[`${isAccepted}`] += 1;
        expect([validate(value), value]).toEqual([isAccepted, value]);
      }),
      { numRuns: 300 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(20);
  });
});
