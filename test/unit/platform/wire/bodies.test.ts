import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { Customer } from '#shared/invoicing/customers/resource.ts';
import { Invoice } from '#shared/invoicing/invoices/resource.ts';
import type { Resource } from '#shared/platform/declarations/resource.ts';
import { VERSIONS } from '#shared/platform/wire/version.ts';
import { violation } from '#shared/platform/wire/violation.ts';
import { extent } from '#test/support/extent/extent.ts';
import fc from '#test/support/random/fast-check.ts';
import { INHERITED, json } from '#test/unit/invoicing/arbitrary.ts';
import { faults } from './body.ts';

/** The schema of every body. */
const BODIES = [Customer as Resource, Invoice as Resource].flatMap((resource) =>
  (['create', 'replace', 'patch'] as const).flatMap((operation) =>
    VERSIONS.map((version) => ({ resource, version, schema: resource[operation][version] })),
  ),
);

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

test('the key __proto__ in metadata, which the parser of bodies refuses before: a violation all the same [CONTRACT §4]', () => {
  for (const value of ['"x"', 'null']) {
    const metadata = JSON.parse(`{"__proto__":${value}}`);
    expect(faults(Customer.patch.v1, { metadata })).toEqual(['/metadata/__proto__ not-allowed']);
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
