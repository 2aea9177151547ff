import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, type Service, startService } from '#test/support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: unknown, headers: Record<string, string | undefined> = JSON_TYPE, path = '/v1/invoices') =>
  service.send(path, { method: 'POST', body, headers });
const codeOf = ({ status, json }: Answer) => [status, json.code];
const count = async () => (await service.send('/v1/invoices?page=1')).json.total_count;

describe('problems', () => {
  test('a validation problem: type, title, status, detail, code, request_id and errors [CONTRACT §10]', async () => {
    const answer = await post('{"total_cents":-1}');
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toEqual({
      type: '/problems/validation-failed',
      title: 'The request is not valid.',
      status: 422,
      detail: expect.any(String),
      code: 'validation-failed',
      request_id: answer.headers['x-request-id'],
      errors: [{ pointer: '/total_cents', code: 'out-of-range', detail: 'must be in 0…999999999999' }],
    });
  });

  test('several violations in the body and the query: all are listed [CONTRACT §10]', async () => {
    const body = {
      status: 'paid',
      total_cents: 1.5,
      currency: 'usd',
      due_date: '2026-02-30',
      account_id: 'x',
      nope: 1,
    };
    const answer = await service.send('/v1/invoices?fields=id&fields=id', { method: 'POST', body });
    const places = answer.json.errors.map((error: Record<string, string>) => error['pointer'] ?? error['parameter']);
    expect(places.sort()).toEqual(
      ['/account_id', '/currency', '/due_date', '/nope', '/status', '/total_cents', 'fields', 'fields'].sort(),
    );
  });

  test('more than 100 violations: the first 100 and the number of the others [CONTRACT §10]', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, i) => `x${i}`);
    const all = await service.send(`/v1/invoices?fields=${names(100)}`);
    expect(all.json.errors).toHaveLength(100);
    const { json } = await service.send(`/v1/invoices?fields=${names(250)}`);
    expect(json.errors).toHaveLength(101);
    expect(json.errors.slice(0, 100).every(({ parameter }: { parameter: string }) => parameter === 'fields')).toBe(
      true,
    );
    const detail = '150 more violations are not listed';
    expect(json.errors[100]).toEqual({ pointer: '', code: 'too-many-violations', detail });
  });

  const metadata = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`\0${i}`, 0]));
  const unknown = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`x${i}`, 0]));
  test.each<[string, string, unknown]>([
    ['2,000 unknown fields', `/v1/invoices?fields=${Array.from({ length: 2000 }, (_, i) => i)}`, undefined],
    [
      '2,000 unknown parameters',
      `/v1/invoices?${Array.from({ length: 2000 }, (_, i) => `x${i}=`).join('&')}`,
      undefined,
    ],
    ['metadata of 10,000 bad pairs', '/v1/customers', { name: 'x', metadata }],
    ['20,000 unknown members', '/v1/customers', { name: 'x', ...unknown }],
    ['one unknown member with a long name', '/v1/customers', { ['x'.repeat(200_000)]: 0 }],
  ])('%s: the response has less than twice the length of the request, or less than 20 KB', async (_, target, body) => {
    const answer = await service.send(target, { ...(body !== undefined && { method: 'POST', body }) });
    expect(answer.status).toBe(422);
    const sent = target.length + JSON.stringify(body ?? '').length;
    expect(answer.text.length).toBeLessThan(Math.max(2 * sent, 20_000));
  });

  test.each<[string, string, string, unknown, Record<string, string>]>([
    ['The parameter "limit": must be an integer in 1…100.', 'GET', '/v1/invoices?limit=0', undefined, {}],
    ['"/total_cents" in the body must be in 0…999999999999.', 'POST', '/v1/invoices', { total_cents: -1 }, {}],
    ['"x=%" in the query is not percent-encoded UTF-8.', 'GET', '/v1/invoices?x=%', undefined, {}],
    ['"abc" is no cursor of this list, its filter and its order.', 'GET', '/v1/invoices?after=abc', undefined, {}],
    ['The JSON of the body ends too early, at line 2, column 5.', 'POST', '/v1/invoices', '{\n"a":', JSON_TYPE],
    ['The body is empty: JSON was expected at line 1, column 1.', 'POST', '/v1/invoices', '', JSON_TYPE],
    ['The body has 262145 bytes; at most 262144 are accepted.', 'POST', '/v1/invoices', ' '.repeat(262_145), JSON_TYPE],
    ['The request has no Idempotency-Key.', 'POST', '/v1/payments', {}, {}],
    ['The key is "7", which is not a UUID.', 'POST', '/v1/payments', {}, { 'idempotency-key': '7' }],
    [
      'If-Match is "7", which is neither * nor a list of entity tags.',
      'PATCH',
      '/v1/invoices/1',
      {},
      { 'if-match': '7' },
    ],
    ['No resource was found at this path.', 'GET', '/v1/invoices/1', undefined, {}],
  ])('detail “%s” for %s %s [CONTRACT §10]', async (detail, method, target, body, headers) => {
    const answer = await service.send(target, { method, body, headers });
    expect(answer.json.detail).toBe(detail);
  });

  test('an unexpected error: 500 internal-error without its message [CONTRACT §10]', async () => {
    const broken = await startService();
    await broken.send('/v1/invoices');
    broken.client.middlewareStack.add(
      () => async () => {
        throw Object.assign(new Error('ValidationException: table secret-name arn:aws:dynamodb'), { name: 'Secret' });
      },
      { step: 'initialize', priority: 'high' },
    );
    const answer = await broken.send('/v1/invoices');
    expect(codeOf(answer)).toEqual([500, 'internal-error']);
    expect(answer.text).not.toMatch(/secret|arn|stack|Secret/);
    await broken.stop();
  });
});

describe('request bodies', () => {
  test.each<[string, unknown, Record<string, string | undefined>, number, string]>([
    ['no body', undefined, JSON_TYPE, 400, 'malformed-json'],
    ['an empty body', '', JSON_TYPE, 400, 'malformed-json'],
    ['half an object', '{"total_cents":', JSON_TYPE, 400, 'malformed-json'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), JSON_TYPE, 400, 'malformed-json'],
    ['no Content-Type', '{}', {}, 415, 'unsupported-media-type'],
    ['Content-Type text/plain', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported-media-type'],
    ['charset latin1', '{}', { 'content-type': 'application/json; charset=latin1' }, 415, 'unsupported-media-type'],
    ...[
      'application/json; charset = utf-16',
      'application/json; charset = utf-8',
      'application/json; charset=utf-8; charset=utf-16',
      'application/json; charset=utf-16; charset=utf-8',
      'application/json; charset=utf-8; charset=utf-8',
      'application/json; charset*=utf-16',
      "application/json; charset*=utf-8''utf-8",
      'application/json; charset="utf-8',
      'application/json; charset=',
      'application/json; version=1',
      'application/json;',
      'application/json, application/json',
      'application/json charset=utf-8',
      'application/jsonp',
    ].map((type): [string, unknown, Record<string, string>, number, string] => [
      `Content-Type ${type}`,
      '{}',
      { 'content-type': type },
      415,
      'unsupported-media-type',
    ]),
    ['merge-patch on POST', '{}', { 'content-type': 'application/merge-patch+json' }, 415, 'unsupported-media-type'],
    ['a Content-Encoding', '{}', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 415, 'unsupported-media-type'],
    ['an array', '[]', JSON_TYPE, 422, 'validation-failed'],
    ['the JSON null', 'null', JSON_TYPE, 422, 'validation-failed'],
    ['a string', '"x"', JSON_TYPE, 422, 'validation-failed'],
    ['a body over 256 KiB', JSON.stringify({ description: 'x'.repeat(262_144) }), JSON_TYPE, 413, 'body-too-large'],
  ])('%s: refused, no effect [CONTRACT §10, CONTRACT §12]', async (_, body, headers, status, code) => {
    const before = await count();
    const answer = await post(body, headers);
    expect(codeOf(answer)).toEqual([status, code]);
    expect(await count()).toBe(before);
  });

  test.each([
    ['application/json; charset=utf-8'],
    ['application/json;charset="UTF-8"'],
    ['application/json ; Charset=Utf-8 '],
    ['Application/JSON'],
  ])('Content-Type %s: accepted [CONTRACT §10]', async (type) => {
    expect((await post('{}', { 'content-type': type })).status).toBe(201);
  });

  test('a body of exactly 256 KiB: accepted; one byte more: 413 [CONTRACT §10]', async () => {
    const padding = ' '.repeat(262_144 - '{}'.length);
    expect((await post(`{}${padding}`)).status).toBe(201);
    expect((await post(`{}${padding} `)).status).toBe(413);
  });

  test('JSON nested deeper than 32 levels: 422 at the pointer of the whole body [CONTRACT §12]', async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    const deep = await post(nested(33));
    expect(deep.json.errors).toEqual([expect.objectContaining({ pointer: '', code: 'too-deep' })]);
    expect((await post(nested(32))).json.errors).toEqual([expect.objectContaining({ pointer: '/a' })]);
    const deepest = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const text of [deepest, `{"\\n":${deepest}}`]) {
      expect((await post(text)).json.errors).toEqual([expect.objectContaining({ pointer: '', code: 'too-deep' })]);
    }
  });

  test('a duplicate key in a JSON object: the last one counts [CONTRACT §12]', async () => {
    expect((await post('{"total_cents":1,"total_cents":2}')).json.total_cents).toBe(2);
  });

  test('the metadata key __proto__: 422; the metadata key constructor: stored', async () => {
    expect(codeOf(await post('{"metadata":{"__proto__":"x"}}'))).toEqual([422, 'validation-failed']);
    const answer = await post('{"metadata":{"constructor":"x","toString":"y"}}');
    expect(answer.json.metadata).toEqual({ constructor: 'x', toString: 'y' });
    expect((await service.send(answer.headers['location'] as string)).json.metadata).toEqual(answer.json.metadata);
  });

  test('a string with markup, emoji and control characters: stored and returned verbatim [CONTRACT §3]', async () => {
    const description = ' <b>é😀\u0001"\\\n\u2028 ';
    const { headers } = await post({ description }, {});
    expect((await service.send(headers['location'] as string)).json.description).toBe(description);
  });
});

describe('query parameters', () => {
  test.each([
    ['fields=%', 400, 'malformed-query'],
    ['fields=%ff', 400, 'malformed-query'],
    ['limit=1&limit=1', 422, 'validation-failed'],
    ['limit=', 422, 'validation-failed'],
    ['limit=0', 422, 'validation-failed'],
    ['limit=101', 422, 'validation-failed'],
    ['limit=1.5', 422, 'validation-failed'],
    ['limit=-1', 422, 'validation-failed'],
    ['limit=1e1', 422, 'validation-failed'],
    ['page=0', 422, 'validation-failed'],
    ['per_page=101', 422, 'validation-failed'],
    ['page=1&limit=10', 422, 'validation-failed'],
    ['per_page=10&after=x', 422, 'validation-failed'],
    ['sort=total_cents', 422, 'validation-failed'],
    ['status=nope', 422, 'validation-failed'],
    ['status=', 422, 'validation-failed'],
    ['customer_id=abc', 422, 'validation-failed'],
    ['customer_id=0', 422, 'validation-failed'],
    ['customer_id=9007199254740992', 422, 'validation-failed'],
    ['stauts=open', 422, 'validation-failed'],
    ['fields=', 422, 'validation-failed'],
    ['fields=id,', 422, 'validation-failed'],
    ['fields=customer', 422, 'validation-failed'],
    ['fields=account_id', 422, 'validation-failed'],
    ['fields=version', 422, 'validation-failed'],
    ['expand=', 422, 'validation-failed'],
    ['expand=account', 422, 'validation-failed'],
    ['after=', 400, 'invalid-cursor'],
    ['after=abc', 400, 'invalid-cursor'],
  ])('?%s: %d %s [CONTRACT §4, CONTRACT §5, CONTRACT §6, CONTRACT §12]', async (query, status, code) => {
    const answer = await service.send(`/v1/invoices?${query}`);
    expect(codeOf(answer)).toEqual([status, code]);
    const parameter = query.split('=')[0];
    if (status === 422 && !query.includes('page=1&')) expect(answer.json.errors[0].parameter).toBe(parameter);
  });

  test('an unknown field name: the detail lists the allowed ones [CONTRACT §6]', async () => {
    const answer = await service.send('/v2/invoices?fields=total_cents');
    expect(answer.json.errors[0].detail).toContain('total, ');
    expect(answer.json.errors[0].detail).not.toContain('total_cents,');
  });
});

describe('paths and methods', () => {
  test.each([
    ['GET', '/nope', 404, 'not-found'],
    ['GET', '/v1', 404, 'not-found'],
    ['GET', '/v1/nope', 404, 'not-found'],
    ['GET', '/v1/invoices/', 404, 'not-found'],
    ['GET', '/v1//invoices', 404, 'not-found'],
    ['GET', '/v1/invoices/%zz', 404, 'not-found'],
    ['GET', '/invoices', 404, 'version-required'],
    ['POST', '/customers', 404, 'version-required'],
    ['GET', '/v3/invoices', 404, 'version-required'],
    ['GET', '/v0/whatever', 404, 'version-required'],
    ['DELETE', '/v1/invoices', 405, 'method-not-allowed'],
    ['TRACE', '/v1/invoices/1', 405, 'method-not-allowed'],
    ['PROPFIND', '/v2/customers', 405, 'method-not-allowed'],
    ['POST', '/health', 405, 'method-not-allowed'],
  ])('%s %s without a token: %d %s [CONTRACT §2, CONTRACT §4, CONTRACT §12]', async (method, path, status, code) => {
    const answer = await service.send(path, { method, headers: { authorization: undefined } });
    expect(codeOf(answer)).toEqual([status, code]);
  });

  test.each([
    ['GET', '/v1/%69nvoices'],
    ['POST', '/v1/%69nvoices'],
    ['GET', '/v1%2finvoices'],
    ['GET', '/v1/%69nvoices/1'],
    ['GET', '/%68ealth'],
    ['GET', '/%64ocs'],
  ])('%s %s, a path with a percent-encoded letter: 404 [CONTRACT §4]', async (method, path) => {
    const answer = await service.send(path, { method });
    expect(codeOf(answer)).toEqual([404, 'not-found']);
    expect(answer.headers['allow']).toBeUndefined();
  });

  test('a percent-encoded path and a method that the resource lacks: 405 with Allow [CONTRACT §4]', async () => {
    const answer = await service.send('/v1/%69nvoices', { method: 'DELETE' });
    expect([...codeOf(answer), answer.headers['allow']]).toEqual([
      405,
      'method-not-allowed',
      'GET, HEAD, POST, OPTIONS',
    ]);
  });

  test('a known path with another method: 405 with Allow [CONTRACT §4]', async () => {
    const answer = await service.send('/v1/invoices/1', { method: 'POST' });
    expect(answer.headers['allow']).toBe('GET, HEAD, PATCH, PUT, DELETE, OPTIONS');
  });

  test.each(['0', '-1', '01', '1.0', '9007199254740992', 'abc', '1e3'])(
    '/v1/invoices/%s, not an id of a resource: 404 [CONTRACT §3]',
    async (id) => {
      expect(codeOf(await service.send(`/v1/invoices/${id}`))).toEqual([404, 'not-found']);
    },
  );

  test('HEAD: the headers of GET and no body [CONTRACT §12]', async () => {
    const { headers } = await post({}, {});
    const path = headers['location'] as string;
    const [get, head] = [await service.send(path), await service.send(path, { method: 'HEAD' })];
    const constant = ({ headers }: Answer) => ({ ...headers, 'x-request-id': '', 'content-length': '' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(constant(head)).toEqual(constant(get));
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
    expect((await service.send('/v1/invoices/1', { method: 'HEAD' })).status).toBe(404);
  });
});

describe('X-Content-Type-Options and Cache-Control', () => {
  test.each([
    ['GET', '/v1/invoices', 200],
    ['HEAD', '/v1/invoices', 200],
    ['GET', '/v1/nope', 404],
    ['GET', '/health', 200],
    ['GET', '/openapi.json', 200],
    ['POST', '/v1/invoices', 201],
  ])('%s %s, a JSON response: X-Content-Type-Options is nosniff', async (method, path, status) => {
    const answer = await service.send(path, { method, ...(method === 'POST' && { body: {} }) });
    expect([answer.status, answer.headers['x-content-type-options']]).toEqual([status, 'nosniff']);
  });

  test('any write, a refused one too: Cache-Control is no-store; a replay has the same headers [CONTRACT §8]', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await service.send('/v1/invoices', { method: 'POST', body: {}, headers });
    const replay = await service.send('/v1/invoices', { method: 'POST', body: {}, headers });
    const { 'idempotent-replayed': replayed, ...same }: Record<string, string> = {
      ...replay.headers,
      'x-request-id': '',
    };
    expect([replayed, same]).toEqual(['true', { ...first.headers, 'x-request-id': '' }]);
    const path = first.headers['location'] as string;
    const writes = [
      first,
      await service.send(path, { method: 'PATCH', body: { description: 'x' } }),
      await service.send(path, { method: 'PUT', body: {} }),
      await service.send(path, { method: 'PUT', body: '{', headers: JSON_TYPE }),
      await service.send(`${path}/cancel`, { method: 'POST' }),
      await service.send(path, { method: 'DELETE' }),
      await service.send(path, { method: 'DELETE' }),
    ];
    expect(writes.map(({ status }) => status)).toEqual([201, 200, 200, 400, 200, 204, 404]);
    for (const answer of writes) expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('CORS', () => {
  const origin = 'https://app.example';
  const preflight = { origin, 'access-control-request-method': 'PATCH', authorization: undefined };

  test('a preflight without a token: 204 [CONTRACT §10]', async () => {
    const answer = await service.send('/v1/invoices/1', { method: 'OPTIONS', headers: preflight });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining('Idempotency-Key'),
    });
  });

  const PATHS = ['/v1/invoices', '/v1/nope', '/health'];
  test.each(PATHS)('%s: exactly the headers of the contract are exposed [CONTRACT §10]', async (path) => {
    expect((await service.send(path)).headers['access-control-expose-headers']).toBe(
      'ETag, Location, Link, Retry-After, X-Request-Id, Idempotent-Replayed, Dry-Run, Allow, Deprecation, Sunset, ' +
        'WWW-Authenticate',
    );
  });

  test('configured origins: no other origin is allowed [CONTRACT §10]', async () => {
    const other = await startService({ CORS_ORIGINS: `${origin} https://other.example` });
    const allowed = await other.send('/v1/invoices', { headers: { origin } });
    const refused = await other.send('/v1/invoices', { headers: { origin: 'https://evil.example' } });
    expect(allowed.headers['access-control-allow-origin']).toBe(origin);
    expect(allowed.headers['vary']).toBe('Authorization, Origin');
    expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
    await other.stop();
  });
});
