import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ROOT } from '#infra/build/bundle.ts';
import { PRIVATE, SHARED } from '#shared/platform/http/caching.ts';
import { normalForm, parseQuery } from '#shared/platform/http/request/query.ts';
import { extent } from '#test/support/extent/extent.ts';
import { character } from '#test/support/random/character.ts';
import fc from '#test/support/random/fast-check.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';

const codeOf = (file: string): string => readFileSync(join(ROOT, 'infra/constructs/cdn-functions', file), 'utf8');
const REQUEST_CODE = codeOf('viewer-request.js');
const RESPONSE_CODE = codeOf('viewer-response.js');

/** A value of an event (Structure for a query string, header, or cookie, Amazon CloudFront Developer Guide). */
interface Value {
  value: string;
  readonly multiValue?: readonly { readonly value: string }[];
}

/** The members of CloudFront's event that the functions read. */
interface EdgeEvent {
  readonly request: {
    readonly method: string;
    /** Values as they were sent, percent-encoded. */
    readonly querystring: Record<string, Value>;
    readonly headers: Record<string, Value>;
  };
  readonly response?: { readonly headers: Record<string, Value> };
}

/** Compiles the code of a CloudFront function in a context without other globals. */
const compile = (code: string) => {
  const run = runInContext(`${code}\n(json) => JSON.stringify(handler(JSON.parse(json)))`, createContext({}));
  return (event: EdgeEvent) => JSON.parse(run(JSON.stringify(event)));
};
const atRequest = compile(REQUEST_CODE);
const atResponse = compile(RESPONSE_CODE);

const HOST = { host: { value: 'd1.cloudfront.net' } };

const get = (querystring: EdgeEvent['request']['querystring'], headers = {}): EdgeEvent => ({
  request: { method: 'GET', querystring, headers: { ...HOST, ...headers } },
});
/** The raw value of a parameter after the request function. */
const cacheKey = (raw: string, name = 'fields'): string =>
  atRequest(get({ [name]: { value: raw } })).querystring[name].value;

const decode = (raw: string): string | undefined => {
  try {
    return parseQuery(`fields=${raw}`)[0]?.[1];
  } catch {
    return undefined;
  }
};

const names = fc.array(fc.constantFrom('id', 'status', 'total_cents', 'metadata', '', 'ID', 'größe'), { minLength: 1 });
const raw = fc.oneof(
  names.map((list) => list.join(',')),
  names.map((list) => encodeURIComponent(list.join(','))),
  fc
    .array(fc.constantFrom('a', 'id', ',', '%2C', '+', '%20', '%', '%zz', '%C3%A4', '%ff', '=', '😀', "'"))
    .map((all) => all.join('')),
  fc.string({ unit: character }).map((text) => text.replaceAll('&', '')),
);

describe('the request function', () => {
  test.each(['fields', 'expand'])('any value of %s: becomes the service’s own normal form [§4]', (name) => {
    fc.assert(
      fc.property(raw, (value) => {
        const list = decode(value);
        if (list === undefined) return expect(cacheKey(value, name)).toBe(value);
        expect(decode(cacheKey(value, name))).toBe(normalForm(list).join(','));
        expect(cacheKey(cacheKey(value, name), name)).toBe(cacheKey(value, name));
      }),
      { numRuns: extent({ full: 2000, part: 200 }) },
    );
  });

  test('a repeated parameter, or one that is not a list of names: unchanged', () => {
    const repeated = { value: 'b,a', multiValue: [{ value: 'b,a' }, { value: 'id' }] };
    const querystring = { fields: repeated, after: { value: 'b%2Ca' }, limit: { value: '2' } };
    expect(atRequest(get(querystring)).querystring).toEqual(querystring);
  });

  test('a Range header: removed; the own host: added, instead of one that a client sends; every other header: unchanged', () => {
    const headers = {
      range: { value: 'bytes=0-1' },
      'x-forwarded-host': { value: 'evil.test' },
      authorization: { value: 'Bearer x' },
      'if-none-match': { value: '"1"' },
    };
    const { range: _, ...rest } = headers;
    expect(atRequest(get({}, headers)).headers).toEqual({ ...rest, ...HOST, 'x-forwarded-host': HOST.host });
  });
});

describe('the CloudFront functions', () => {
  test.each([REQUEST_CODE, RESPONSE_CODE])('the code of function %#: within the limits of CloudFront', (code) => {
    expect(Buffer.byteLength(code)).toBeLessThan(10_240);
    expect(code).not.toMatch(
      /\bimport\b|\bexport\b|\bclass\b|\bnew\b|\bSet\b|\bMap\b|\.\.\.|\?\.|\?\?|for \(const|const [{[]/,
    );
  });

  test('a cached response: private for the client; every other header: unchanged [CONTRACT §7]', () => {
    const answered = (value: string) =>
      atResponse({ ...get({}), response: { headers: { 'cache-control': { value }, etag: { value: '"1"' } } } }).headers;
    expect(answered(SHARED)).toEqual({
      'cache-control': { value: PRIVATE },
      etag: { value: '"1"' },
    });
    for (const value of ['no-store', 'private, no-cache', PRIVATE]) {
      expect(answered(value)['cache-control'].value).toBe(value);
    }
    expect(atResponse({ ...get({}), response: { headers: {} } }).headers).toEqual({});
  });
});

describe('Cache-Control of the service for a shared cache', () => {
  let service: LocalService;
  let path: string;
  beforeAll(async () => {
    service = await startService();
    path = (await service.send('/v1/invoices', { method: 'POST', body: {} })).headers['location'] as string;
  });
  afterAll(() => service.stop());
  const shared = { 'x-shared-cache': 'token' };

  test.each([
    ['a member: cacheable', '', {}, 200, 'max-age=60'],
    ['an unchanged member, 304: cacheable', '', { 'if-none-match': '"1"' }, 304, 'max-age=60'],
    ['an unknown member, 404: not cacheable', '9', {}, 404, 'no-store'],
    ['an unknown field, 422: not cacheable', '?fields=x', {}, 422, 'no-store'],
    ['no token, 401: not cacheable', '', { authorization: undefined }, 401, 'no-store'],
  ])('%s', async (_, more, headers, status, cacheControl) => {
    const answer = await service.send(path + more, { headers: { ...headers, ...shared } });
    expect([answer.status, answer.headers['cache-control']]).toEqual([status, cacheControl]);
  });

  test('a collection, and an export that is not completed: private, no-cache; a written member: no-store [CONTRACT §7]', async () => {
    const body = { type: 'customers', format: 'csv' };
    const { headers } = await service.send('/v1/exports', { method: 'POST', body });
    const cacheControlOf = async (target: string, more: object = {}) =>
      (await service.send(target, { headers: shared, ...more })).headers['cache-control'];
    expect(await cacheControlOf('/v1/invoices')).toBe('private, no-cache');
    expect(await cacheControlOf(headers['location'] as string)).toBe('private, no-cache');
    expect(await cacheControlOf(path, { method: 'PATCH', body: {} })).toBe('no-store');
  });

  test.each(['/docs', '/openapi.json', '/problems/not-found', '/health'])(
    'Vary of %s: names only headers that are in the cache key',
    async (open) => {
      for (const headers of [shared, { ...shared, 'accept-encoding': 'gzip' }]) {
        const answer = await service.send(open, { headers });
        expect(answer.status).toBe(200);
        const varies = (answer.headers['vary'] ?? '').toLowerCase().split(/[, ]+/).filter(Boolean);
        expect(['accept-encoding', 'origin', 'authorization']).toEqual(expect.arrayContaining(varies));
      }
    },
  );
});
