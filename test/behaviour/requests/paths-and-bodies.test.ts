import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { isPublic } from '#shared/platform/http/endpoint.ts';
import { CATALOGUE } from '#shared/vocabulary.ts';
import { partOf } from '#test/support/extent/extent.ts';
import type { Answer, Sent } from '#test/support/service/client.ts';
import { openService, publicTest, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { createInvoice, JSON_TYPE, outcome, totalOf } from '../support/requests.ts';
import { HOSTILE_BODIES } from './hostile-bodies.ts';

const service = await openService();

const names = (count: number) => Array.from({ length: count }, (_, i) => `x${i}`);

const placesOf = ({ json }: Answer): string[] =>
  json.errors.map(({ pointer, parameter, header }: Record<string, string>) => pointer ?? parameter ?? header).sort();

const LARGE: readonly (readonly [title: string, target: string, body?: object])[] = [
  ['1,000 unknown fields', `/v1/invoices?fields=${names(1000)}`],
  [
    '1,000 unknown parameters',
    `/v1/invoices?${names(1000)
      .map((name) => `${name}=`)
      .join('&')}`,
  ],
  ['one unknown member with a long name', '/v1/customers', { ['x'.repeat(200_000)]: 0 }],
];

/** Bodies that are not JSON, and the details of their problems. */
const NO_JSON = [
  ['', 'The body is empty: JSON was expected at line 1, column 1.'],
  ['{"total_cents":', 'The JSON of the body ends too early, at line 1, column 16.'],
  ['{\n"a":', 'The JSON of the body ends too early, at line 2, column 5.'],
  ['{"a":}', 'The body is not JSON: "}" was not expected at line 1, column 6.'],
  ['{"a":1,}', 'The body is not JSON: "}" was not expected at line 1, column 8.'],
  ['[1,]', 'The body is not JSON: "]" was not expected at line 1, column 4.'],
  ['{\n  "a": 1,\n  b: 2\n}', 'The body is not JSON: "b" was not expected at line 3, column 3.'],
  ['{"a": "😀" x}', 'The body is not JSON: "x" was not expected at line 1, column 11.'],
  ['{"a": "tab\there"}', 'The body is not JSON: "\\t" was not expected at line 1, column 11.'],
  ['{"a": 01}', 'The body is not JSON: "1" was not expected at line 1, column 8.'],
  ['{} {}', 'The body is not JSON: "{" was not expected at line 1, column 4.'],
  ["{'a': 1}", 'The body is not JSON: "\'" was not expected at line 1, column 2.'],
  ['{"a":\u00a01}', 'The body is not JSON: "\\u00a0" was not expected at line 1, column 6.'],
] as const;

/** Texts, and how a detail shows them: each character is visible. */
const QUOTED = [
  ['a b', '"a b"'],
  ['é😀"', '"é😀\\""'],
  [
    '\u034fa\ufeff\u200b\u00a0\u2028\u3000\u0000\u0085\u202e',
    '"\\u034fa\\ufeff\\u200b\\u00a0\\u2028\\u3000\\u0000\\u0085\\u202e"',
  ],
  ['\u{e0001}', '"\\udb40\\udc01"'],
  ['😀'.repeat(101), `"${'😀'.repeat(100)}…"`],
] as const;

const DETAILS: readonly (readonly [detail: string, target: string, sent?: Sent])[] = [
  ['The parameter "limit": must be an integer in 1…100.', '/v1/invoices?limit=0'],
  [
    '"/total_cents" in the body must be in 0…999999999999.',
    '/v1/invoices',
    { method: 'POST', body: { total_cents: -1 } },
  ],
  ['"x=%" in the query is not percent-encoded UTF-8.', '/v1/invoices?x=%'],
  ...NO_JSON.map(([body, detail]) => [detail, '/v1/invoices', { method: 'POST', body, headers: JSON_TYPE }] as const),
  ...QUOTED.map(
    ([text, shown]) =>
      [
        `${shown} is no cursor of this list, its filter and its order.`,
        `/v1/invoices?after=${encodeURIComponent(text)}`,
      ] as const,
  ),
  ...[
    ['VED', 'is not a supported currency'],
    ['usd', 'must be an ISO 4217 code in upper case'],
  ].map(
    ([currency, text]) =>
      [`"/currency" in the body ${text}.`, '/v1/invoices', { method: 'POST', body: { currency } }] as const,
  ),
  [
    'The body has 262145 bytes; at most 262144 are accepted.',
    '/v1/invoices',
    { method: 'POST', body: ' '.repeat(262_145), headers: JSON_TYPE },
  ],
  ['The request has no Idempotency-Key.', '/v1/payments', { method: 'POST', body: {} }],
  [
    'The key is "7 8", which is neither 1 to 255 visible ASCII characters nor a Structured Field string of them.',
    '/v1/payments',
    { method: 'POST', body: {}, headers: { 'idempotency-key': '7 8' } },
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

describe('Problems', () => {
  test('several violations in the body and the query: all are listed [CONTRACT §10]', async () => {
    const rest = { currency: 'usd', due_date: '2026-02-30', account_id: 'x', nope: 1 };
    const body = { status: 'paid', total_cents: 1.5, ...rest };
    const answer = await service.send('/v1/invoices?fields=id&fields=id', { method: 'POST', body });
    const expected = ['/account_id', '/currency', '/due_date', '/nope', '/status', '/total_cents', 'fields', 'fields'];
    expect(placesOf(answer)).toEqual(expected.sort());
  });

  test('more than 100 violations: the first 100, and the number of the rest [CONTRACT §10]', async () => {
    const all = await service.send(`/v1/invoices?fields=${names(100)}`);
    expect(all.json.errors).toHaveLength(100);
    const { json } = await service.send(`/v1/invoices?fields=${names(250)}`);
    expect(json.errors).toHaveLength(101);
    expect(json.errors.slice(0, 100).every((one: { parameter: string }) => one.parameter === 'fields')).toBe(true);
    const detail = '150 more violations are not listed';
    expect(json.errors[100]).toEqual({ pointer: '', code: 'too-many-violations', detail });
  });

  for (const [title, target, body] of LARGE) {
    test(`${title}: the response is shorter than twice the request, or 20 KB [CONTRACT §10]`, async () => {
      const answer = await service.send(target, { ...(body && { method: 'POST', body }) });
      expect(answer.status).toBe(422);
      const sent = target.length + JSON.stringify(body ?? '').length;
      expect(answer.text.length).toBeLessThan(Math.max(2 * sent, 20_000));
    });
  }

  test('the detail of a problem: states the cause, and shows each character [CONTRACT §10]', async () => {
    for (const [detail, target, sent] of DETAILS) expect((await service.send(target, sent)).json.detail).toBe(detail);
  });

  for (const { kind, route, status, first, violations, text } of HOSTILE_BODIES) {
    test(`${kind}, ${route}: ${status}, at most 100 violations and the number of the others [CONTRACT §4, §10]`, async () => {
      const [method = '', path = ''] = route.split(' ');
      const id = path.includes('invoice_id') ? await createInvoice(service) : 1;
      const body = text();
      const headers = { ...JSON_TYPE, 'idempotency-key': randomUUID() };
      const answer = await service.send(path.replace(/\{\w+\}/, String(id)), { method, headers, body });
      const { errors = [] } = answer.json;
      expect([answer.status, errors[0] ? `${errors[0].pointer} ${errors[0].code}` : '']).toEqual([status, first]);
      const detail = `${violations - 100} more violations are not listed`;
      const others = violations > 100 ? [{ pointer: '', code: 'too-many-violations', detail }] : [];
      expect([errors.slice(0, 100).length, errors.slice(100)]).toEqual([Math.min(violations, 100), others]);
      expect(answer.text.length).toBeLessThan(2 * body.length);
    });
  }

  for (const [status, code, target, sent] of REFUSED) {
    test(`${code}: a problem with exactly these members [CONTRACT §10]`, async () => {
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
    });
  }
});

const NO_NUMBER = ['0', '', '-1', '1.5', '1e1', '%201', '%2B1', '0x10', '%EF%BC%91', '99999999999999999999'];

/** Values of parameters that are 422. */
const INVALID: Readonly<Record<string, readonly string[]>> = {
  limit: ['101', ...NO_NUMBER, '1&limit=1', '1&%6Cimit=2'],
  page: ['9007199254740992', 'x', ...NO_NUMBER, '1&page=2'],
  per_page: ['101', ...NO_NUMBER, '10&after=x'],
  sort: ['total_cents', 'created_at', '', '%2Bid', '--id', '-id,id'],
  status: ['nope', '', 'constructor', 'open&status=open'],
  customer_id: ['abc', '0', '01', 'null', '', '9007199254740992'],
  stauts: ['open'],
  Limit: ['1'],
  'limit[]': ['1'],
  '': ['1'],
  constructor: [''],
  fields: [
    '',
    ',',
    'id,',
    'id,%20status',
    'ID',
    'customer',
    'account_id',
    'version',
    'metadata.a',
    'constructor',
    'id&fields=id',
  ],
  expand: ['', 'account', 'customer,customer_id', 'constructor'],
};

const MALFORMED =
  'fields=% fields=%ff x=%zz % x=%1 %g1=1 x=1&y=% x=%c3 x=%c3%28 x=%ed%a0%80 x=%f4%90%80%80 x=100%'.split(' ');

const NO_CURSOR = ['after=', 'after=abc'];

/** Paths that match no route. */
const NOT_FOUND = [
  '/nope /v1 /v1/ /v1/nope /v1/invoices/ /v1//invoices /v1/invoices/1/ /v1/invoices//1 /v1/invoices/1//payments',
  '/v1/health /v1/Invoices /v1/invoice /v1/invoices.json /v1/v1/invoices /v2/invoices/1/nothing /v1/invoices/1/x/y /constructor',
].flatMap((line) => line.split(' '));

/** Paths that match no route under a known version either. */
const UNKNOWN_VERSION = [
  '/v3 /v3/ /v3/nothing /v3/invoices/1/nothing /v3/invoices/ /v3//invoices /v3/v1/invoices /v3/health /v1x/invoices',
  '/v/invoices /v1.0/invoices /V1/invoices /invoices/1/nothing /version/invoices',
  '/__proto__/invoices',
].flatMap((line) => line.split(' '));

const VERSION_REQUIRED =
  '/invoices /v3/invoices /v10/invoices/1 /v01/invoices /v0/invoices/1/cancel /v99999999999999999999/invoices';

/** Paths that a gateway before the service may change. */
const INEXACT = [
  ['GET', '//v1/invoices'],
  ['GET', '/health/'],
  ['GET', '/invoices/'],
  ['GET', '//invoices'],
  ['GET', '/problems/'],
  ['POST', '/v1/c%75stomers?dry_run=true'],
  ['GET', '/v1/invoices/%'],
  ['GET', '/v1/invoices/%zz'],
  ['GET', '/v1/invoices/%ff'],
  ['GET', '/v1/invoices/7%'],
  ['GET', '/v1/invoices/%c3%28/payments'],
  ['GET', '/invoices/%'],
  ['GET', '/v1/%69nvoices'],
  ['POST', '/v1/%69nvoices'],
  ['GET', '/v1%2finvoices'],
  ['GET', '/v1/%69nvoices/1'],
  ['GET', '/%68ealth'],
  ['GET', '/%64ocs'],
] as const;

/** Every path of the API without its version, and its methods. */
const paths = Map.groupBy(
  Object.values(endpoints).flatMap((endpoint) => (isPublic(endpoint) ? [] : [endpoint])),
  ({ path }) => path.replace(/\{[^}]*\}/g, '1'),
);

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'TRACE', 'PROPFIND'];

describe('Queries', () => {
  test('a query that is not percent-encoded UTF-8: 400 malformed-query [CONTRACT §12]', async () => {
    for (const query of MALFORMED)
      expect([query, ...outcome(await service.send(`/v1/invoices?${query}`))]).toEqual([query, 400, 'malformed-query']);
  });

  for (const query of NO_CURSOR) {
    test(`?${query}: 400 invalid-cursor [CONTRACT §12]`, async () => {
      expect(outcome(await service.send(`/v1/invoices?${query}`))).toEqual([400, 'invalid-cursor']);
    });
  }

  for (const [parameter, values] of Object.entries(INVALID)) {
    test(`an invalid, unknown or repeated parameter "${parameter}": 422 naming it, never clamped [CONTRACT §4, §5, §12]`, async () => {
      for (const value of values) {
        const answer = await service.send(`/v1/invoices?${parameter}=${value}`);
        expect([value, ...outcome(answer)]).toEqual([value, 422, 'validation-failed']);
        expect(new Set(placesOf(answer))).toEqual(new Set([parameter]));
      }
    });
  }

  test('several violations in a query: all are listed [CONTRACT §10]', async () => {
    const all = 'page=0&per_page=101&limit=0&sort=x&status=y&customer_id=z';
    const expected = ['customer_id', 'limit', 'page', 'page', 'per_page', 'sort', 'status'];
    expect(placesOf(await service.send(`/v1/invoices?${all}`))).toEqual(expected);
  });

  const ONCE = [
    ['/v1/payments?expand=customer', 'expand', 'unknown-parameter'],
    ['/v1/events?expand=customer', 'expand', 'not-allowed'],
    ['/v2/invoices?sort=due_date&status=open&page=1', 'page', 'unknown-parameter'],
  ] as const;
  for (const [target, parameter, code] of ONCE) {
    test(`${target}: one violation, ${code} of ${parameter} [CONTRACT §6, §10]`, async () => {
      const { status, json } = await service.send(target);
      expect([status, json.errors]).toEqual([422, [{ parameter, code, detail: expect.any(String) }]]);
    });
  }

  test('an unknown field name: the detail lists the allowed names [CONTRACT §6]', async () => {
    const answer = await service.send('/v2/invoices?fields=total_cents');
    expect(answer.json.errors[0].detail).toContain('total, ');
    expect(answer.json.errors[0].detail).not.toContain('total_cents,');
  });
});

describe('Paths and methods', () => {
  for (const [code, all, methods] of [
    ['not-found', NOT_FOUND, ['GET']],
    ['not-found', UNKNOWN_VERSION, ['GET', 'OPTIONS']],
    ['version-required', VERSION_REQUIRED.split(' '), ['GET', 'OPTIONS']],
  ] as const)
    publicTest(`${methods.join(' or ')} ${all[0]} and others, without a token: 404 ${code} [CONTRACT §4]`, async () => {
      for (const path of all)
        for (const method of methods) {
          const answer = await service.send(path, { method, as: 'nobody' });
          expect([method, path, ...outcome(answer)]).toEqual([method, path, 404, code]);
        }
    });

  publicTest('POST /health without a token: 405 [CONTRACT §4]', async () => {
    const answer = await service.send('/health', { method: 'POST', as: 'nobody' });
    expect(outcome(answer)).toEqual([405, 'method-not-allowed']);
  });

  for (const [path, routes] of paths) {
    publicTest(`${path} without a version or with an unknown one: 404 version-required [CONTRACT §4]`, async () => {
      for (const { method } of routes)
        for (const target of [path, `/v0${path}`, `/v3${path}`, `/V1${path}`])
          expect([target, ...outcome(await service.send(target, { method, as: 'nobody' }))]).toEqual([
            target,
            404,
            target.startsWith('/V1') ? 'not-found' : 'version-required',
          ]);
    });

    test(`${path} with other methods: 405 with Allow; with a slash at its end: 404 [CONTRACT §4]`, async () => {
      const own = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
      for (const version of ['v1', 'v2'])
        for (const method of METHODS.filter((one) => !own.includes(one))) {
          const { status, headers, json } = await service.send(`/${version}${path}`, { method, as: 'nobody' });
          const body = method === 'HEAD' ? undefined : 'method-not-allowed';
          expect([method, status, json?.code]).toEqual([method, 405, body]);
          expect(headers['allow']?.split(', ').sort()).toEqual([...own, 'OPTIONS'].sort());
        }
      expect(outcome(await service.send(`/v1${path}/`))).toEqual([404, 'not-found']);
    });
  }

  test('a method that the contract excludes: 405 [CONTRACT §4, §14]', async () => {
    for (const [path, ...excluded] of [
      ...['payments', 'refunds', 'credit-notes', 'events'].map(
        (name) => [`/v1/${name}/1`, 'PATCH', 'PUT', 'DELETE', 'POST'] as const,
      ),
      ...['/v1/events', '/v1/webhook-deliveries'].map((path) => [path, 'POST', 'DELETE'] as const),
      ['/v1/exports/1', 'PATCH', 'PUT', 'DELETE'],
      ['/v1/webhook-endpoints/1', 'PUT'],
    ] as const)
      for (const method of excluded)
        expect([method, path, (await service.send(path, { method })).status]).toEqual([method, path, 405]);
  });

  for (const [method, path] of INEXACT) {
    testWith('exactPaths')(
      `${method} ${path}, a slash too many or a percent-encoding: 404 [CONTRACT §4, §12]`,
      async () => {
        const answer = await service.send(path, { method });
        expect(outcome(answer)).toEqual([404, 'not-found']);
        expect([answer.headers['allow'], answer.headers['dry-run']]).toEqual([undefined, undefined]);
      },
    );
  }

  test('a percent-encoded path and a method that the resource lacks: 405 [CONTRACT §4]', async () => {
    const answer = await service.send('/v1/%69nvoices', { method: 'DELETE' });
    const allowed = 'GET, HEAD, POST, OPTIONS';
    expect([...outcome(answer), answer.headers['allow']]).toEqual([405, 'method-not-allowed', allowed]);
  });

  for (const id of ['0', '-1', '01', '1.0', '+1', '9007199254740992', 'abc', '1e3']) {
    test(`/v1/invoices/${id}, not an id of a resource: 404 [CONTRACT §3]`, async () => {
      expect(outcome(await service.send(`/v1/invoices/${id}`))).toEqual([404, 'not-found']);
    });
  }

  test('the id of a member after a zero: 404 [CONTRACT §3]', async () => {
    const id = await createInvoice(service);
    expect((await service.send(`/v1/invoices/0${id}`)).status).toBe(404);
  });
});

describe('Request bodies', () => {
  const post = (service: Service, body: unknown, headers: Sent['headers'] = JSON_TYPE) =>
    service.send('/v1/invoices', { method: 'POST', body, headers });

  const WRONG_TYPES = [
    'application/json; charset=latin1',
    'application/json; charset = utf-16',
    'application/json; charset = utf-8',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=utf-16; charset=utf-8',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; charset*=utf-16',
    "application/json; charset*=utf-8''utf-8",
    'application/json; charset="utf-8',
    'application/json; charset=',
    'application/json; charset=utf-8; charset=utf8',
    'application/json; charset="utf-16"; x=y',
    'application/json; x',
    'application/json; x=y, text/plain',
    'application/json, application/json',
    'application/json charset=utf-8',
    'application/jsonp',
    'text/plain',
    'application/x-www-form-urlencoded',
  ];

  const BYTE_ORDER_MARK = '\ufeff';

  type Refused = readonly [cause: string, status: number, code: string, body: unknown, headers?: Sent['headers']];

  const REFUSED: readonly Refused[] = [
    ['no body', 400, 'malformed-json', undefined],
    ['an empty body', 400, 'malformed-json', ''],
    ['a byte order mark alone', 400, 'malformed-json', BYTE_ORDER_MARK],
    ['a second byte order mark', 400, 'malformed-json', `${BYTE_ORDER_MARK}${BYTE_ORDER_MARK}{}`],
    ['half an object', 400, 'malformed-json', '{"total_cents":'],
    ['a comma at the end', 400, 'malformed-json', '{"total_cents":1,}'],
    ['bytes that are not UTF-8', 400, 'malformed-json', Buffer.from([0x7b, 0xff, 0x7d])],
    ['no Content-Type', 415, 'unsupported-media-type', '{}', {}],
    ...WRONG_TYPES.map(
      (type): Refused => [`Content-Type ${type}`, 415, 'unsupported-media-type', '{}', { 'content-type': type }],
    ),
    ['merge-patch on POST', 415, 'unsupported-media-type', '{}', { 'content-type': 'application/merge-patch+json' }],
    ['a Content-Encoding', 415, 'unsupported-media-type', '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
    ['an array', 422, 'validation-failed', '[]'],
    ['the JSON null', 422, 'validation-failed', 'null'],
    ['a string', 422, 'validation-failed', '"x"'],
    [
      'a body over 256 KiB, but of fewer characters',
      413,
      'body-too-large',
      JSON.stringify({ description: '😀'.repeat(65_536) }),
    ],
  ];

  const ACCEPTED = [
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; Charset=Utf-8 ',
    'application/json; charset=utf8',
    'application/json; charset="UTF8"',
    'application/json;',
    'application/json ; ;; charset=utf-8 ; ',
    'application/json; x=y',
    'application/json; profile="a; charset=\\"latin1\\""; charset=utf-8; version=1',
    'Application/JSON',
  ];

  /** Metadata in JSON, and the pointer of its fault. */
  const FORBIDDEN_KEYS = [
    ['{"__proto__":"x"}', ''],
    ['{"a":"b","\\u005f_proto__":"x"}', ''],
    ['{"__proto__":null}', ''],
    ['{"":"x"}', '/metadata/'],
  ] as const;

  const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

  const DEEPEST = '['.repeat(100_000) + ']'.repeat(100_000);

  const TOO_DEEP = [expect.objectContaining({ pointer: '', code: 'too-deep' })];

  for (const [cause, status, code, body, headers] of REFUSED) {
    test(`${cause}: ${status} ${code}, no effect [CONTRACT §10]`, async () => {
      const before = await totalOf(service, '/invoices');
      expect(outcome(await post(service, body, headers))).toEqual([status, code]);
      expect(await totalOf(service, '/invoices')).toBe(before);
    });
  }

  for (const type of partOf(ACCEPTED, 3)) {
    test(`Content-Type ${type}: accepted [CONTRACT §10]`, async () => {
      expect((await post(service, '{}', { 'content-type': type })).status).toBe(201);
    });
  }

  for (const type of [
    'application/json',
    'application/merge-patch+json',
    'application/merge-patch+json; charset=utf-8',
  ]) {
    test(`PATCH with ${type}: accepted [CONTRACT §4]`, async () => {
      const { headers } = await service.create('/v1/customers', { name: 'Ada', email: 'a@b.co' });
      const sent = { method: 'PATCH', body: '{"email":null}', headers: { 'content-type': type } };
      const { status, json } = await service.send(headers['location'] as string, sent);
      expect([status, json.name, json.email]).toEqual([200, 'Ada', null]);
    });
  }

  test('a byte order mark before the body: ignored [CONTRACT §10]', async () => {
    const headers = { ...JSON_TYPE, 'idempotency-key': randomUUID() };
    const first = await post(service, `${BYTE_ORDER_MARK}{"total_cents": 7}`, headers);
    expect([first.status, first.json.total_cents]).toEqual([201, 7]);
    const replay = await post(service, '{"total_cents": 7}', headers);
    expect([replay.text, replay.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const path = first.headers['location'] as string;
    const typed = { 'content-type': 'application/merge-patch+json' };
    const sent = { method: 'PATCH', body: Buffer.from(`${BYTE_ORDER_MARK}{"description":"x"}`), headers: typed };
    expect((await service.send(path, sent)).json.description).toBe('x');
    const canceled = await service.send(`${path}/cancel`, { method: 'POST', body: BYTE_ORDER_MARK });
    expect([canceled.status, canceled.json.status]).toEqual([200, 'canceled']);
  });

  for (const [method, path, headers, name, value] of [
    ['POST', '/v1/customers', { 'content-type': 'text/plain' }, 'accept', 'application/json'],
    ['PUT', '/v1/customers/1', {}, 'accept', 'application/json'],
    ['PATCH', '/v1/customers/1', {}, 'accept-patch', 'application/json, application/merge-patch+json'],
    ['PATCH', '/v1/customers/1', { ...JSON_TYPE, 'content-encoding': 'br' }, 'accept-encoding', 'identity'],
    ['DELETE', '/v1/customers/1', { 'content-encoding': 'br' }, 'accept-encoding', 'identity'],
  ] as const)
    test(`${method} with the headers ${JSON.stringify(headers)}: 415 with ${name}: ${value} [CONTRACT §10]`, async () => {
      const answer = await service.send(path, { method, headers, ...(method !== 'DELETE' && { body: '{}' }) });
      const sent = ['accept', 'accept-patch', 'accept-encoding'].filter((one) => one in answer.headers);
      expect([answer.status, sent, answer.headers[name]]).toEqual([415, [name], value]);
    });

  test('PUT with merge-patch: 415, and nothing changes [CONTRACT §10]', async () => {
    const path = (await service.create('/v1/customers', { name: 'Ada' })).headers['location'] as string;
    const headers = { 'content-type': 'application/merge-patch+json' };
    const answer = await service.send(path, { method: 'PUT', body: '{"name":"Bob"}', headers });
    expect(outcome(answer)).toEqual([415, 'unsupported-media-type']);
    expect((await service.send(path)).json.name).toBe('Ada');
  });

  test('a body of exactly 256 KiB: accepted; one byte more: 413 [CONTRACT §10]', async () => {
    const padding = ' '.repeat(262_144 - '{}'.length);
    expect((await post(service, `{}${padding}`)).status).toBe(201);
    expect((await post(service, `{}${padding} `)).status).toBe(413);
  });

  test('JSON nested deeper than 32 levels: 422 at the pointer of the whole body [CONTRACT §12]', async () => {
    expect((await post(service, nested(33))).json.errors).toEqual(TOO_DEEP);
    expect((await post(service, nested(32))).json.errors).toEqual([expect.objectContaining({ pointer: '/a' })]);
    for (const text of [DEEPEST, `{"\\n":${DEEPEST}}`])
      expect((await post(service, text)).json.errors).toEqual(TOO_DEEP);
  });

  test('a duplicate key in a JSON object: the last one counts [CONTRACT §12]', async () => {
    expect((await post(service, '{"total_cents":1,"total_cents":2}')).json.total_cents).toBe(2);
  });

  for (const [metadata, pointer] of FORBIDDEN_KEYS) {
    test(`metadata ${metadata}: 422 at "${pointer}" by each write, nothing changes [CONTRACT §4]`, async () => {
      for (const [version, collection, whole] of [
        ['v1', 'customers', { name: 'x' }],
        ['v2', 'invoices', {}],
      ] as const) {
        const { headers } = await service.create(`/v1/${collection}`, whole);
        const path = headers['location'] as string;
        const before = await service.send(path);
        const body = JSON.stringify({ ...whole, metadata: 0 }).replace(/0(?=}$)/, metadata);
        for (const [method, target] of [
          ['POST', `/${version}/${collection}`],
          ['PATCH', path.replace('v1', version)],
          ['PUT', path.replace('v1', version)],
        ] as const) {
          const answer = await service.send(target, { method, body, headers: JSON_TYPE });
          expect([method, ...outcome(answer), answer.json.errors[0].pointer]).toEqual([
            ...[method, 422, 'validation-failed', pointer],
          ]);
        }
        expect((await service.send(path)).text).toBe(before.text);
      }
    });
  }
});
