import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { parseKey, toIdempotencyContext } from '#shared/platform/commit/idempotency.ts';
import fc from '#test/support/random/fast-check.ts';
import { json } from '#test/unit/invoicing/arbitrary.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324';

const PAYMENTS = { method: 'POST', path: '/v1/payments' };

test.each<[header: string, key: string]>([
  [`"${UUID}"`, UUID],
  [UUID.toUpperCase(), UUID],
  [` ${UUID}\t`, UUID],
  [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ['"a\\"b\\\\c"', 'a"b\\c'],
  ['"order 7"', 'order 7'],
  [`" ${UUID} "`, ` ${UUID} `],
  [`urn:uuid:${UUID.toUpperCase()}`, `urn:uuid:${UUID.toUpperCase()}`],
  [UUID.replaceAll('-', ''), UUID.replaceAll('-', '')],
])('the Idempotency-Key %j: read as the text %j [CONTRACT §8]', (header, key) => {
  expect([parseKey(header, true), parseKey(header, false)]).toEqual([key, key]);
});

test('any text of 1 to 255 visible characters: the same key with and without quotes, and no other key [CONTRACT §8]', () => {
  const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  const text = fc.string({ unit: character, minLength: 1, maxLength: 255 });
  const quoted = (key: string) => `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
  fc.assert(
    fc.property(text, text, (one, other) => {
      fc.pre(!one.startsWith('"'));
      expect([parseKey(one, true), parseKey(quoted(one), true)]).toEqual([one, one]);
      if (one !== other) expect(parseKey(quoted(other), true)).not.toBe(one);
    }),
  );
});

const [NIL, MAX] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

test.each([
  ...['', '  ', '""', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'order 7', 'é', '"é"', '\u00a0x', 'a\u007fb', '"a\nb"'],
  ...[`"${UUID}`, `""${UUID}""`, '"a\\b"', '"a\\"', `"${UUID}";a=1`, `${UUID}\n${UUID}`],
  // Two keys, which the gateway joins.
  ...[`${UUID}, ${UUID}`, `"${UUID}", "${UUID}"`],
  ...[NIL, `"${NIL}"`, MAX, MAX.toUpperCase()],
])('the malformed Idempotency-Key %j: 400 invalid-idempotency-key [CONTRACT §8]', (header) => {
  for (const required of [true, false]) {
    expect(problemOf(() => parseKey(header, required)).code).toBe('invalid-idempotency-key');
  }
});

const fingerprint = (body: unknown): string => toIdempotencyContext(UUID, 'acct_1', PAYMENTS, body).fingerprint;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

test('the example of RFC 8785 §3.2.4: the fingerprint is SHA-256 of its canonical JSON [CONTRACT §8]', () => {
  const body = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`);
  expect(fingerprint(body)).toBe(
    sha256(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    ),
  );
});

const isWellFormed = (value: unknown): boolean => (JSON.stringify(value) ?? '').search(/\\u[dD][89a-fA-F]/) === -1;

/** An independent RFC 8785: strings and numbers by `JSON.stringify`, members sorted by UTF-16 code units. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, entry]) => `${JSON.stringify(name)}:${canonical(entry)}`).join(',')}}`;
};

test('any I-JSON: the fingerprint of an independent RFC 8785 implementation [CONTRACT §8]', () => {
  fc.assert(
    fc.property(json.filter(isWellFormed), (body) => fingerprint(body) === sha256(canonical(body))),
    { numRuns: 300 },
  );
});

test('a body without a canonical form (a lone surrogate, a number beyond a double): 422 [CONTRACT §3]', () => {
  const bodies = ['{"id":"\\ud800"}', '{"id":"\\udfff"}', '{"\\ud800":1}', '{"id":1e999}', '{"id":[{"a":-1e999}]}'];
  for (const text of bodies) {
    expect(problemOf(() => fingerprint(JSON.parse(text))).code).toBe('validation-failed');
  }
});

test('a path with a slash at its end, which a gateway may route: the same record [§4 Idempotency 6]', () => {
  const [key, other] = ['/v1/payments', '/v1/payments/'].map(
    (path) => toIdempotencyContext(UUID, 'a', { method: 'POST', path }, {}).key,
  );
  expect(other).toBe(key);
});
