import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { parseKey, replay, toIdempotencyContext, toRecord } from '#shared/platform/commit/idempotency.ts';
import fc from '#test/support/random/fast-check.ts';
import { json, reversed } from '#test/unit/invoicing/arbitrary.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324';
const VISIBLE = `!${String.fromCharCode(...Array.from({ length: 0x7e - 0x21 }, (_, i) => 0x22 + i))}`;

const PAYMENTS = { method: 'POST', path: '/v1/payments' };

test.each<[string, string, string]>([
  ['a UUID', UUID, UUID],
  ['a UUID in quotes', `"${UUID}"`, UUID],
  ['a UUID in upper case', UUID.toUpperCase(), UUID],
  ['a UUID in quotes and upper case', `"${UUID.toUpperCase()}"`, UUID],
  ['a UUID between spaces', ` ${UUID}\t`, UUID],
  ['a word', 'order-7', 'order-7'],
  ['a word in quotes', '"order-7"', 'order-7'],
  ['a word in upper case', 'Order-7', 'Order-7'],
  ['one character', 'x', 'x'],
  ['255 characters', 'x'.repeat(255), 'x'.repeat(255)],
  ['255 characters in quotes, each with an escape', `"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ['every visible ASCII character', VISIBLE, VISIBLE],
  ['escapes', '"a\\"b\\\\c"', 'a"b\\c'],
  ['the same text without quotes', 'a"b\\c', 'a"b\\c'],
  ['a quote at the end', 'x"', 'x"'],
  ['a blank in quotes', '"order 7"', 'order 7'],
  ['a UUID between blanks in quotes', `" ${UUID} "`, ` ${UUID} `],
  ['a UUID in braces', `{${UUID}}`, `{${UUID}}`],
  ['a URN', `urn:uuid:${UUID.toUpperCase()}`, `urn:uuid:${UUID.toUpperCase()}`],
  ['no hyphens', UUID.replaceAll('-', ''), UUID.replaceAll('-', '')],
  ['zeros that are no UUID', '0'.repeat(32), '0'.repeat(32)],
  ['two keys without a blank', `${UUID},${UUID}`, `${UUID},${UUID}`],
])('an Idempotency-Key, %s (%s): read as its text [CONTRACT §8]', (_, header, key) => {
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

test('a UUID of any version: accepted as a key [CONTRACT §8]', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => parseKey(`"${uuid}"`, true) === uuid));
});

const [NIL, MAX] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

test.each<[string, string]>([
  ['empty', ''],
  ['spaces', '  '],
  ['empty quotes', '""'],
  ['256 characters', 'x'.repeat(256)],
  ['256 characters in quotes', `"${'x'.repeat(256)}"`],
  ['a quote only at the start', `"${UUID}`],
  ['two pairs of quotes', `""${UUID}""`],
  ['an escape of another character', '"a\\b"'],
  ['an escape at the end', '"a\\"'],
  ['parameters', `"${UUID}";a=1`],
  ['a blank', 'order 7'],
  ['two keys, joined by the gateway', `${UUID}, ${UUID}`],
  ['two keys in quotes', `"${UUID}", "${UUID}"`],
  ['a letter that is not ASCII', 'é'],
  ['such a letter in quotes', '"é"'],
  ['a no-break space around', '\u00a0x'],
  ['a control character', 'a\u007fb'],
  ['a line break inside', `${UUID}\n${UUID}`],
  ['a line break inside quotes', '"a\nb"'],
  ['the nil UUID', NIL],
  ['the nil UUID in quotes', `"${NIL}"`],
  ['the max UUID', MAX],
  ['the max UUID in upper case', MAX.toUpperCase()],
])('an Idempotency-Key of another form, %s (%j): 400 invalid-idempotency-key [CONTRACT §8]', (_, header) => {
  for (const required of [true, false]) {
    expect(problemOf(() => parseKey(header, required)).code).toBe('invalid-idempotency-key');
  }
});

test('no Idempotency-Key: 400 idempotency-key-required where a key is required, else accepted [CONTRACT §8]', () => {
  expect(problemOf(() => parseKey(undefined, true)).code).toBe('idempotency-key-required');
  expect(parseKey(undefined, false)).toBeUndefined();
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

test('members in any order: sorted by UTF-16 code units for the fingerprint (RFC 8785 §3.2.3) [CONTRACT §8]', () => {
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
  const body = Object.fromEntries([...sorted].reverse().map((name) => [name, 0]));
  expect(fingerprint(body)).toBe(sha256(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`));
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

test('another key order or other white space: the same fingerprint [CONTRACT §8]', () => {
  fc.assert(
    fc.property(json, (body) => {
      expect(fingerprint(reversed(body))).toBe(fingerprint(body));
      expect(fingerprint(JSON.parse(JSON.stringify(body, null, 2)))).toBe(fingerprint(body));
    }),
  );
});

test('a materially different body: another fingerprint [§4, CONTRACT §8]', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      fc.pre(canonical(one) !== canonical(other));
      expect(fingerprint(one)).not.toBe(fingerprint(other));
    }),
  );
  const near: unknown[] = [{}, [], null, 0, '', '0', false, { a: null }, { a: {} }, { a: [] }, [[]], [null], { '': 0 }];
  expect(new Set(near.map(fingerprint)).size).toBe(near.length);
});

test('a body without a canonical form (a lone surrogate, a number beyond a double): 422 [CONTRACT §3]', () => {
  const bodies = ['{"id":"\\ud800"}', '{"id":"\\udfff"}', '{"\\ud800":1}', '{"id":1e999}', '{"id":[{"a":-1e999}]}'];
  for (const text of bodies) {
    expect(problemOf(() => fingerprint(JSON.parse(text))).code).toBe('validation-failed');
  }
});

test('another account, version, path, method or key: another record; another body: the same record [CONTRACT §8]', () => {
  const keys = [
    toIdempotencyContext(UUID, 'acct_1', PAYMENTS, {}),
    toIdempotencyContext(UUID, 'acct_2', PAYMENTS, {}),
    toIdempotencyContext(UUID, 'acct_1', { ...PAYMENTS, path: '/v2/payments' }, {}),
    toIdempotencyContext(UUID, 'acct_1', { ...PAYMENTS, path: '/v1/refunds' }, {}),
    toIdempotencyContext(UUID, 'acct_1', { ...PAYMENTS, method: 'PATCH' }, {}),
    toIdempotencyContext(UUID.replace('8', '9'), 'acct_1', PAYMENTS, {}),
  ].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(toIdempotencyContext(UUID, 'acct_1', PAYMENTS, { a: 1 }).key).toBe(keys[0]);
});

test('a path with a slash at its end, which a gateway may route: the same record [§4 Idempotency 6]', () => {
  const [key, other] = ['/v1/payments', '/v1/payments/'].map(
    (path) => toIdempotencyContext(UUID, 'a', { method: 'POST', path }, {}).key,
  );
  expect(other).toBe(key);
});

const HEADERS = { 'content-type': 'application/json', etag: '"1"', location: '/v1/payments/7', 'x-request-id': 'r1' };
const ANSWER = { statusCode: 201, headers: HEADERS, body: '{"id":7}' };

test('a record: has status, Location, ETag and body, and expires at the end of the window [CONTRACT §8]', () => {
  const identity = toIdempotencyContext(UUID, 'acct_1', PAYMENTS, {});
  expect(toRecord(identity, ANSWER, 1000, 24)).toEqual({
    ...identity,
    status: 201,
    headers: { etag: '"1"', location: '/v1/payments/7' },
    body: '{"id":7}',
    created_at: 1000,
    expires_at: 1000 + 24 * 3600,
  });
});

test('a repeat: the recorded response byte for byte, with Idempotent-Replayed: true [CONTRACT §8]', () => {
  const identity = toIdempotencyContext(UUID, 'acct_1', PAYMENTS, {});
  expect(replay(toRecord(identity, ANSWER, 1000, 24), identity)).toEqual({
    statusCode: 201,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      etag: '"1"',
      location: '/v1/payments/7',
      'idempotent-replayed': 'true',
    },
    body: '{"id":7}',
  });
});

test('a repeat with another body: 422 idempotency-key-reused [CONTRACT §8]', () => {
  const record = toRecord(toIdempotencyContext(UUID, 'acct_1', PAYMENTS, { a: 1 }), ANSWER, 1000, 24);
  expect(problemOf(() => replay(record, toIdempotencyContext(UUID, 'acct_1', PAYMENTS, { a: 2 })))).toMatchObject({
    code: 'idempotency-key-reused',
    facts: { violations: [{ header: 'Idempotency-Key' }] },
  });
});
