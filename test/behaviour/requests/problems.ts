import { expect } from 'expect';
import { CATALOGUE } from '#shared/vocabulary.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Answer, Sent } from '#test/acceptance/suite/service.ts';
import { JSON_TYPE } from '../support/requests.ts';

const names = (count: number) => Array.from({ length: count }, (_, i) => `x${i}`);
const metadata = Object.fromEntries(names(10_000).map((name) => [`\0${name}`, 0]));
const unknown = Object.fromEntries(names(20_000).map((name) => [name, 0]));
const placesOf = ({ json }: Answer): string[] =>
  json.errors.map(({ pointer, parameter, header }: Record<string, string>) => pointer ?? parameter ?? header).sort();

const LARGE: readonly (readonly [title: string, target: string, body?: object])[] = [
  ['2,000 unknown fields', `/v1/invoices?fields=${names(2000)}`],
  [
    '2,000 unknown parameters',
    `/v1/invoices?${names(2000)
      .map((name) => `${name}=`)
      .join('&')}`,
  ],
  ['metadata of 10,000 bad pairs', '/v1/customers', { name: 'x', metadata }],
  ['20,000 unknown members', '/v1/customers', { name: 'x', ...unknown }],
  ['one unknown member with a long name', '/v1/customers', { ['x'.repeat(200_000)]: 0 }],
];

const DETAILS: readonly (readonly [detail: string, target: string, sent?: Sent])[] = [
  ['The parameter "limit": must be an integer in 1…100.', '/v1/invoices?limit=0'],
  [
    '"/total_cents" in the body must be in 0…999999999999.',
    '/v1/invoices',
    { method: 'POST', body: { total_cents: -1 } },
  ],
  ['"x=%" in the query is not percent-encoded UTF-8.', '/v1/invoices?x=%'],
  ['"abc" is no cursor of this list, its filter and its order.', '/v1/invoices?after=abc'],
  [
    'The JSON of the body ends too early, at line 2, column 5.',
    '/v1/invoices',
    { method: 'POST', body: '{\n"a":', headers: JSON_TYPE },
  ],
  [
    'The body is empty: JSON was expected at line 1, column 1.',
    '/v1/invoices',
    { method: 'POST', body: '', headers: JSON_TYPE },
  ],
  [
    'The body has 262145 bytes; at most 262144 are accepted.',
    '/v1/invoices',
    { method: 'POST', body: ' '.repeat(262_145), headers: JSON_TYPE },
  ],
  ['The request has no Idempotency-Key.', '/v1/payments', { method: 'POST', body: {} }],
  [
    'The key is "7", which is not a UUID.',
    '/v1/payments',
    { method: 'POST', body: {}, headers: { 'idempotency-key': '7' } },
  ],
  [
    'If-Match is "7", which is neither * nor a list of entity tags.',
    '/v1/invoices/1',
    { method: 'PATCH', body: {}, headers: { 'if-match': '7' } },
  ],
  ['No resource was found at this path.', '/v1/invoices/1'],
];

const OUT_OF_RANGE = { pointer: '/total_cents', code: 'out-of-range', detail: 'must be in 0…999999999999' };

/** A request that is refused, its status and its code: each is a problem with exactly the members of the contract. */
const REFUSED: readonly (readonly [status: number, code: string, target: string, sent?: Sent])[] = [
  [400, 'malformed-json', '/v1/customers', { method: 'POST', body: '{', headers: JSON_TYPE }],
  [400, 'invalid-cursor', '/v2/customers?after=x'],
  [400, 'malformed-query', '/v1/customers?a=%zz'],
  [400, 'invalid-header', '/v1/customers/1', { method: 'DELETE', headers: { 'if-match': 'x' } }],
  [401, 'unauthenticated', '/v1/customers', { as: 'nobody' }],
  [403, 'insufficient-scope', '/v1/customers', { as: { scope: 'invoices:read' } }],
  [404, 'not-found', '/v1/customers/1'],
  [404, 'version-required', '/customers'],
  [405, 'method-not-allowed', '/v1/customers', { method: 'DELETE' }],
  [415, 'unsupported-media-type', '/v1/customers', { method: 'POST', body: '{}' }],
  [422, 'validation-failed', '/v1/invoices', { method: 'POST', body: { total_cents: -1 } }],
];

export const problems: Group = {
  name: 'Problems',
  checks: [
    check('CONTRACT §10', 'several violations in the body and the query: all are listed', async (service) => {
      const rest = { currency: 'usd', due_date: '2026-02-30', account_id: 'x', nope: 1 };
      const body = { status: 'paid', total_cents: 1.5, ...rest };
      const answer = await service.send('/v1/invoices?fields=id&fields=id', { method: 'POST', body });
      const expected = [
        '/account_id',
        '/currency',
        '/due_date',
        '/nope',
        '/status',
        '/total_cents',
        'fields',
        'fields',
      ];
      expect(placesOf(answer)).toEqual(expected.sort());
    }),
    check('CONTRACT §10', 'more than 100 violations: the first 100 and the number of the others', async (service) => {
      const all = await service.send(`/v1/invoices?fields=${names(100)}`);
      expect(all.json.errors).toHaveLength(100);
      const { json } = await service.send(`/v1/invoices?fields=${names(250)}`);
      expect(json.errors).toHaveLength(101);
      expect(json.errors.slice(0, 100).every((one: { parameter: string }) => one.parameter === 'fields')).toBe(true);
      const detail = '150 more violations are not listed';
      expect(json.errors[100]).toEqual({ pointer: '', code: 'too-many-violations', detail });
    }),
    ...LARGE.map(([title, target, body]) =>
      check('CONTRACT §10', `${title}: the response is shorter than twice the request, or 20 KB`, async (service) => {
        const answer = await service.send(target, { ...(body && { method: 'POST', body }) });
        expect(answer.status).toBe(422);
        const sent = target.length + JSON.stringify(body ?? '').length;
        expect(answer.text.length).toBeLessThan(Math.max(2 * sent, 20_000));
      }),
    ),
    ...DETAILS.map(([detail, target, sent]) =>
      check('CONTRACT §10', `${sent?.method ?? 'GET'} ${target}: detail “${detail}”`, async (service) => {
        expect((await service.send(target, sent)).json.detail).toBe(detail);
      }),
    ),
    ...REFUSED.map(([status, code, target, sent]) =>
      check('CONTRACT §10', `${code}: a problem with exactly these members`, async (service) => {
        const answer = await service.send(target, sent);
        expect([answer.status, answer.headers['content-type']]).toEqual([status, 'application/problem+json']);
        expect(answer.json).toEqual({
          type: `/problems/${code}`,
          title: CATALOGUE[code as keyof typeof CATALOGUE].title,
          status,
          detail: expect.stringMatching(/./),
          code,
          request_id: answer.headers['x-request-id'],
          ...(status === 422 && { errors: [OUT_OF_RANGE] }),
        });
        expect(answer.json.detail).not.toBe(answer.json.title);
      }),
    ),
  ],
};
