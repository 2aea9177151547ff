import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { parseKey, replay, toIdempotencyContext, toRecord } from '#shared/platform/idempotency/idempotency.ts';
import fc from '#test/support/random/fast-check.ts';
import { json, reversed } from '#test/unit/invoicing/arbitrary.ts';
import { problemOf } from '#test/unit/invoicing/problem.ts';

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324';

test.each<[string, string]>([
  ['bare', UUID],
  ['in quotes', `"${UUID}"`],
  ['in upper case', UUID.toUpperCase()],
  ['in quotes and upper case', `"${UUID.toUpperCase()}"`],
  ['between spaces', ` ${UUID}\t`],
])('an Idempotency-Key %s: read as its UUID [CONTRACT §8]', (_, header) => {
  expect(parseKey(header, true)).toBe(UUID);
  expect(parseKey(header, false)).toBe(UUID);
});

test('a UUID of any version: accepted as a key [CONTRACT §8]', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => parseKey(`"${uuid}"`, true) === uuid));
  for (const uuid of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    expect(parseKey(uuid, true)).toBe(uuid);
  }
});

test.each<[string, string]>([
  ['empty', ''],
  ['spaces', '  '],
  ['empty quotes', '""'],
  ['a quote only at the start', `"${UUID}`],
  ['a quote only at the end', `${UUID}"`],
  ['two pairs of quotes', `""${UUID}""`],
  ['single quotes', `'${UUID}'`],
  ['spaces inside the quotes', `" ${UUID} "`],
  ['braces', `{${UUID}}`],
  ['a URN', `urn:uuid:${UUID}`],
  ['no hyphens', UUID.replaceAll('-', '')],
  ['a digit too few', UUID.slice(1)],
  ['a digit too many', `${UUID}0`],
  ['hyphens at other places', '8e03978-e40d5-43e8-bc93-6894a57f9324'],
  ['a letter that is no hexadecimal digit', UUID.replace('8', 'g')],
  ['two keys, joined by the gateway', `${UUID},${UUID}`],
  ['parameters', `"${UUID}";a=1`],
  ['a word', 'order-7'],
  ['a line break inside', `${UUID}\n${UUID}`],
])('an Idempotency-Key that is no UUID (%s): 400 invalid-idempotency-key [CONTRACT §8]', (_, header) => {
  for (const required of [true, false]) {
    expect(problemOf(() => parseKey(header, required)).code).toBe('invalid-idempotency-key');
  }
});

test('no Idempotency-Key: 400 idempotency-key-required where one is required, else accepted [CONTRACT §8]', () => {
  expect(problemOf(() => parseKey(undefined, true)).code).toBe('idempotency-key-required');
  expect(parseKey(undefined, false)).toBeUndefined();
});

const fingerprint = (body: unknown): string => toIdempotencyContext(UUID, 'acct_1', '/v1/payments', body).fingerprint;
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

test('another account, version, path or UUID: another record; another body: the same record [CONTRACT §8]', () => {
  const keys = [
    toIdempotencyContext(UUID, 'acct_1', '/v1/payments', {}),
    toIdempotencyContext(UUID, 'acct_2', '/v1/payments', {}),
    toIdempotencyContext(UUID, 'acct_1', '/v2/payments', {}),
    toIdempotencyContext(UUID, 'acct_1', '/v1/refunds', {}),
    toIdempotencyContext(UUID.replace('8', '9'), 'acct_1', '/v1/payments', {}),
  ].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(toIdempotencyContext(UUID, 'acct_1', '/v1/payments', { a: 1 }).key).toBe(keys[0]);
});

test('a path with a slash at its end, which a gateway may route: the same record [§4 Idempotency 6]', () => {
  const [key, other] = ['/v1/payments', '/v1/payments/'].map((path) => toIdempotencyContext(UUID, 'a', path, {}).key);
  expect(other).toBe(key);
});

const HEADERS = { 'content-type': 'application/json', etag: '"1"', location: '/v1/payments/7', 'x-request-id': 'r1' };
const ANSWER = { statusCode: 201, headers: HEADERS, body: '{"id":7}' };

test('a record: has status, Location, ETag and body, and expires at the end of the window [CONTRACT §8]', () => {
  const identity = toIdempotencyContext(UUID, 'acct_1', '/v1/payments', {});
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
  const identity = toIdempotencyContext(UUID, 'acct_1', '/v1/payments', {});
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
  const record = toRecord(toIdempotencyContext(UUID, 'acct_1', '/v1/payments', { a: 1 }), ANSWER, 1000, 24);
  expect(problemOf(() => replay(record, toIdempotencyContext(UUID, 'acct_1', '/v1/payments', { a: 2 })))).toMatchObject(
    {
      code: 'idempotency-key-reused',
      facts: { violations: [{ header: 'Idempotency-Key' }] },
    },
  );
});
