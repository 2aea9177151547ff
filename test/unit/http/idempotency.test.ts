import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { keyed, parseKey, recordOf, replayed } from '#shared/platform/idempotency/key.ts';
import { json } from '#test/unit/invoicing/arbitrary.ts';
import { refusalOf } from '#test/unit/invoicing/refusal.ts';

const UUID = '8e03978e-40d5-43e8-bc93-6894a57f9324';

test.each<[string, string]>([
  ['bare', UUID],
  ['quoted', `"${UUID}"`],
  ['in upper case', UUID.toUpperCase()],
  ['quoted and in upper case', `"${UUID.toUpperCase()}"`],
  ['among blanks', ` ${UUID}\t`],
])('CONTRACT §8: Idempotency-Key is a UUID, bare or quoted: %s', (_, header) => {
  expect(parseKey(header, true)).toBe(UUID);
  expect(parseKey(header, false)).toBe(UUID);
});

test('CONTRACT §8: any UUID is a key, of whatever version', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => parseKey(`"${uuid}"`, true) === uuid));
  for (const uuid of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
    expect(parseKey(uuid, true)).toBe(uuid);
  }
});

test.each<[string, string]>([
  ['empty', ''],
  ['blanks', '  '],
  ['quotes around nothing', '""'],
  ['half-quoted at the left', `"${UUID}`],
  ['half-quoted at the right', `${UUID}"`],
  ['quoted twice', `""${UUID}""`],
  ['other quotes', `'${UUID}'`],
  ['blanks within the quotes', `" ${UUID} "`],
  ['braces', `{${UUID}}`],
  ['a URN', `urn:uuid:${UUID}`],
  ['no hyphens', UUID.replaceAll('-', '')],
  ['a digit too few', UUID.slice(1)],
  ['a digit too many', `${UUID}0`],
  ['hyphens elsewhere', '8e03978-e40d5-43e8-bc93-6894a57f9324'],
  ['no hexadecimal digit', UUID.replace('8', 'g')],
  ['two keys, joined by the gateway', `${UUID},${UUID}`],
  ['parameters', `"${UUID}";a=1`],
  ['a word', 'order-7'],
  ['a line end within', `${UUID}\n${UUID}`],
])('CONTRACT §8: not a UUID: 400 invalid-idempotency-key: %s', (_, header) => {
  for (const required of [true, false]) {
    expect(refusalOf(() => parseKey(header, required)).code).toBe('invalid-idempotency-key');
  }
});

test('CONTRACT §8: no key is 400 idempotency-key-required where one is required, and fine elsewhere', () => {
  expect(refusalOf(() => parseKey(undefined, true)).code).toBe('idempotency-key-required');
  expect(parseKey(undefined, false)).toBeUndefined();
});

const fingerprint = (body: unknown): string => keyed(UUID, 'acct_1', '/v1/payments', body).fingerprint;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

test('CONTRACT §8: the fingerprint is SHA-256 of the canonical JSON: RFC 8785 §3.2.4', () => {
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

test('CONTRACT §8: RFC 8785 §3.2.3: members are sorted by their UTF-16 code units', () => {
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
  const body = Object.fromEntries([...sorted].reverse().map((name) => [name, 0]));
  expect(fingerprint(body)).toBe(sha256(`{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`));
});

const isWellFormed = (value: unknown): boolean => (JSON.stringify(value) ?? '').search(/\\u[dD][89a-fA-F]/) === -1;

/** RFC 8785 once more: the texts and numbers of `JSON.stringify`, the members by their UTF-16 code units. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, held]) => `${JSON.stringify(name)}:${canonical(held)}`).join(',')}}`;
};

test('CONTRACT §8: RFC 8785: for whatever I-JSON, the fingerprint is that of an independent implementation', () => {
  fc.assert(
    fc.property(json.filter(isWellFormed), (body) => fingerprint(body) === sha256(canonical(body))),
    { numRuns: 300 },
  );
});

/** The same value, its members in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, held]) => [name, reversed(held)]),
  );
};

test('CONTRACT §8: key order and white space do not matter', () => {
  fc.assert(
    fc.property(json, (body) => {
      expect(fingerprint(reversed(body))).toBe(fingerprint(body));
      expect(fingerprint(JSON.parse(JSON.stringify(body, null, 2)))).toBe(fingerprint(body));
    }),
  );
});

test('§4 Idempotency 5: a materially different body has another fingerprint', () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      fc.pre(canonicalText(one) !== canonicalText(other));
      expect(fingerprint(one)).not.toBe(fingerprint(other));
    }),
  );
  const near: unknown[] = [{}, [], null, 0, '', '0', false, { a: null }, { a: {} }, { a: [] }, [[]], [null], { '': 0 }];
  expect(new Set(near.map(fingerprint)).size).toBe(near.length);
});

/** A value as text, its members sorted, for the test to tell values apart. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, held]) => `${JSON.stringify(name)}:${canonicalText(held)}`);
  return `{${members.sort()}}`;
}

test('CONTRACT §3, §8: a body without a canonical form is 422: lone surrogates, numbers beyond a double', () => {
  const bodies = ['{"id":"\\ud800"}', '{"id":"\\udfff"}', '{"\\ud800":1}', '{"id":1e999}', '{"id":[{"a":-1e999}]}'];
  for (const text of bodies) {
    expect(refusalOf(() => fingerprint(JSON.parse(text))).code).toBe('validation-failed');
  }
});

test('CONTRACT §8 Scope: account, version, method and path tell keys apart', () => {
  const keys = [
    keyed(UUID, 'acct_1', '/v1/payments', {}),
    keyed(UUID, 'acct_2', '/v1/payments', {}),
    keyed(UUID, 'acct_1', '/v2/payments', {}),
    keyed(UUID, 'acct_1', '/v1/refunds', {}),
    keyed(UUID.replace('8', '9'), 'acct_1', '/v1/payments', {}),
  ].map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keyed(UUID, 'acct_1', '/v1/payments', { a: 1 }).key).toBe(keys[0]);
});

const HEADERS = { 'content-type': 'application/json', etag: '"1"', location: '/v1/payments/7', 'x-request-id': 'r1' };
const ANSWER = { statusCode: 201, headers: HEADERS, body: '{"id":7}' };

test('CONTRACT §8: a record holds status, Location, ETag and body, for the window', () => {
  const identity = keyed(UUID, 'acct_1', '/v1/payments', {});
  expect(recordOf(identity, ANSWER, 1000, 24)).toEqual({
    ...identity,
    status: 201,
    headers: { etag: '"1"', location: '/v1/payments/7' },
    body: '{"id":7}',
    created_at: 1000,
    expires_at: 1000 + 24 * 3600,
  });
});

test('CONTRACT §8: a repeat returns the record byte for byte with Idempotent-Replayed: true', () => {
  const identity = keyed(UUID, 'acct_1', '/v1/payments', {});
  expect(replayed(recordOf(identity, ANSWER, 1000, 24), identity)).toEqual({
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

test('CONTRACT §8: another body is 422 idempotency-key-reused', () => {
  const record = recordOf(keyed(UUID, 'acct_1', '/v1/payments', { a: 1 }), ANSWER, 1000, 24);
  expect(refusalOf(() => replayed(record, keyed(UUID, 'acct_1', '/v1/payments', { a: 2 })))).toMatchObject({
    code: 'idempotency-key-reused',
    facts: { violations: [{ header: 'Idempotency-Key' }] },
  });
});
