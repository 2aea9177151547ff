import { randomUUID } from 'node:crypto';
import { describe, expect } from '@jest/globals';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { partOf } from '#test/support/extent/extent.ts';
import { matrix } from '#test/support/requests/requests.ts';
import type { Sent } from '#test/support/service/client.ts';
import { openService, publicTest, type Service, test, testWith } from '#test/support/service/open-service.ts';
import { query } from '../support/pages.ts';
import { inTurn, needsOf, prepare, prepareShared } from '../support/prerequisites.ts';
import { constantHeaders, JSON_TYPE, outcome } from '../support/requests.ts';
import type { Row } from '../support/rows.ts';

const service = await openService();

const EXPOSED =
  'ETag, Location, Link, Retry-After, X-Request-Id, Idempotent-Replayed, Dry-Run, Allow, Deprecation, Sunset, ' +
  'WWW-Authenticate, RateLimit, RateLimit-Policy';

const PREFLIGHT = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' };

/** Values of `Access-Control-Request-Headers`. */
const REQUESTED = [
  'baggage',
  'authorization,content-type,traceparent,baggage,sentry-trace',
  'X-Datadog-Trace-Id , x-datadog-origin,,x-datadog-origin',
];

const RESPONSES: readonly (readonly [status: number, target: string, sent?: Sent])[] = [
  [200, '/v1/invoices'],
  [200, '/v1/invoices', { method: 'HEAD' }],
  [200, '/health'],
  [200, '/openapi.json'],
  [201, '/v1/invoices', { method: 'POST', body: {} }],
  [401, '/v1/invoices', { as: 'nobody' }],
  [404, '/v1/nope'],
  [405, '/v1/invoices', { method: 'DELETE' }],
  [422, '/v1/invoices?x=1'],
];

describe('Response headers', () => {
  test('HEAD of a resource that does not exist: 404 without a body [CONTRACT §12]', async () => {
    const { status, text } = await service.send('/v1/invoices/1', { method: 'HEAD' });
    expect([status, text]).toEqual([404, '']);
  });

  for (const [status, target, sent] of partOf(RESPONSES, 3)) {
    test(`${sent?.method ?? 'GET'} ${target}, ${status}: X-Request-Id, nosniff, CORS and the exposed headers [CONTRACT §10]`, async () => {
      const answers = [await service.send(target, sent), await service.send(target, sent)] as const;
      for (const { status: received, headers } of answers) {
        expect([received, headers['x-content-type-options']]).toEqual([status, 'nosniff']);
        expect(headers['access-control-expose-headers']).toBe(EXPOSED);
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
      const ids = answers.map(({ headers }) => headers['x-request-id']);
      expect(ids).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
      expect(ids[0]).not.toBe(ids[1]);
    });
  }

  test('any write, even if refused: no-store; a replay has the same headers [CONTRACT §8]', async () => {
    const sent = { method: 'POST', body: {}, headers: { 'idempotency-key': randomUUID() } };
    const [first, replay] = [await service.send('/v1/invoices', sent), await service.send('/v1/invoices', sent)];
    const { 'idempotent-replayed': replayed, ...same } = constantHeaders(replay);
    expect([replayed, same]).toEqual(['true', constantHeaders(first)]);
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

  publicTest('a preflight without a token: 204 with the allowed methods and headers [CONTRACT §10]', async () => {
    const answer = await service.send('/v1/invoices/1', { method: 'OPTIONS', headers: PREFLIGHT, as: 'nobody' });
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const methods = answer.headers['access-control-allow-methods']?.split(/, */);
    expect(methods).toEqual(expect.arrayContaining(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']));
    const allowed = answer.headers['access-control-allow-headers']?.toLowerCase().split(/, */);
    const needed = ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'];
    expect(allowed).toEqual(expect.arrayContaining(needed));
  });

  for (const names of REQUESTED) {
    publicTest(`a preflight that asks for ${names}: allows each of them [CONTRACT §10]`, async () => {
      const headers = { ...PREFLIGHT, 'access-control-request-headers': names };
      for (const target of ['/v1/invoices', '/v2/exports/1/file', '/v1/nope']) {
        const answer = await service.send(target, { method: 'OPTIONS', headers, as: 'nobody' });
        const allowed = answer.headers['access-control-allow-headers']?.toLowerCase().split(', ') ?? [];
        expect([answer.status, new Set(allowed).size]).toEqual([204, allowed.length]);
        const asked = names.toLowerCase().split(/ *, */).filter(Boolean);
        expect(allowed).toEqual(expect.arrayContaining(['authorization', ...asked]));
      }
    });
  }

  publicTest('a preflight that asks for what is no header name: not allowed [CONTRACT §10]', async () => {
    const headers = { ...PREFLIGHT, 'access-control-request-headers': 'baggage, a b, x;y, "z", é' };
    const { status, headers: sent } = await service.send('/v1/invoices', {
      method: 'OPTIONS',
      headers,
      as: 'nobody',
    });
    expect([status, sent['access-control-allow-headers']?.split('tracestate')[1]]).toEqual([204, ', baggage']);
  });

  test('a request of any origin: allowed [CONTRACT §10]', async () => {
    const { headers } = await service.send('/v1/invoices', { headers: { origin: 'https://app.example' } });
    expect(headers['access-control-allow-origin']).toBe('*');
  });
});

const reads = matrix.filter(([, , , operation]) => operation.method === 'GET');

/** An order in which the first row stays first: workers add events at any time. */
const orderOf = ({ route }: Operation): string => (route === 'GET /events' ? 'id' : '-id');

const members = reads.filter(([, , , { list, returns }]) => returns[200] && !list);
const memberWrites = inTurn.filter(([, , , operation]) => {
  const { path, method } = operation;
  return path.includes('{') && method !== 'GET';
});
/** The writes of members to which preconditions do not apply (CONTRACT §7). */
const UNCONDITIONAL = /\/(?:test|retry)$/;
const [unconditional, conditional] = [true, false].map((is) =>
  memberWrites.filter(([, , , { route }]) => UNCONDITIONAL.test(route) === is),
) as [typeof memberWrites, typeof memberWrites];
const keyed = inTurn.filter(([, , , operation]) => ['POST', 'PATCH'].includes(operation.method));

describe('Headers of each operation', () => {
  for (const [title, version, , operation] of partOf(reads, 7)) {
    testWith(...needsOf(operation))(
      `HEAD for ${title}: the status and headers of GET, no body [CONTRACT §12]`,
      async () => {
        const { target: path } = await prepareShared(service, operation, version);
        const target = operation.list ? `${path}?sort=${orderOf(operation)}&limit=1` : path;
        const [get, answer] = [await service.send(target), await service.send(target, { method: 'HEAD' })];
        expect([answer.status, answer.text]).toEqual([get.status, '']);
        if (get.status === 303) return;
        expect(constantHeaders(answer)).toEqual(constantHeaders(get));
        expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
      },
    );
  }

  for (const [title, version, , operation] of partOf(members, 5)) {
    testWith(...needsOf(operation))(
      `${title}, the current ETag in If-None-Match: 304 without a body [CONTRACT §7]`,
      async () => {
        const { target } = await prepareShared(service, operation, version);
        const etag = (await service.send(target)).headers['etag'] as string;
        expect(etag).toMatch(/^"\d+"$/);
        const answer = await service.send(target, { headers: { 'if-none-match': etag } });
        expect([answer.status, answer.headers['etag'], answer.text]).toEqual([304, etag, '']);
      },
    );
  }

  for (const [title, version, , operation] of conditional) {
    testWith(...needsOf(operation))(
      `${title}, a stale If-Match: 412 with the current ETag; a malformed one: 400 [CONTRACT §7]`,
      async () => {
        const { target, sent } = await prepareShared(service, operation, version);
        const member = target.split('/').slice(0, 4).join('/');
        const { headers, text } = await service.send(member);
        const ask = (tag: string) => service.send(target, { ...sent, headers: { ...sent.headers, 'if-match': tag } });
        const stale = await ask('"99"');
        expect([...outcome(stale), stale.headers['etag']]).toEqual([412, 'precondition-failed', headers['etag']]);
        expect(outcome(await ask('99'))).toEqual([400, 'invalid-header']);
        const present = { ...sent, headers: { ...sent.headers, 'if-none-match': '*' } };
        const answer = await service.send(target, present);
        expect([...outcome(answer), answer.headers['etag']]).toEqual([412, 'precondition-failed', headers['etag']]);
        expect((await service.send(member)).text).toBe(text);
      },
    );
  }

  for (const [title, version, , operation] of unconditional)
    testWith(...needsOf(operation))(
      `${title}, a malformed If-Match and If-None-Match: ignored [CONTRACT §7, §12]`,
      async () => {
        const { target, sent } = await prepare(service, operation, version);
        const headers = { ...sent.headers, 'if-match': '99', 'if-none-match': '99' };
        expect((await service.send(target, { ...sent, headers })).status).toBeLessThan(300);
      },
    );

  for (const [title, version, , operation] of keyed.filter(([, , , { route }]) => route.startsWith('PATCH ')))
    testWith(...needsOf(operation))(
      `${title}, twice under one key: the second response is a replay [CONTRACT §8]`,
      async () => {
        const { target, sent } = await prepare(service, operation, version);
        const keyedRequest = { ...sent, headers: { ...sent.headers, 'idempotency-key': randomUUID() } };
        const first = await service.send(target, keyedRequest);
        const second = await service.send(target, keyedRequest);
        expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined]);
        expect([second.status, second.headers['idempotent-replayed'], second.text]).toEqual([200, 'true', first.text]);
      },
    );

  for (const [title, version, , operation] of partOf(keyed, 5)) {
    const isRequired = operation.idempotency === 'required';
    const expected = isRequired ? '400' : 'success';
    testWith(...needsOf(operation))(`${title}, no key: ${expected}; a malformed key: 400 [CONTRACT §8]`, async () => {
      const use = isRequired ? prepareShared : prepare;
      const { target, sent } = await use(service, operation, version);
      const malformed = await service.send(target, { ...sent, headers: { 'idempotency-key': 'x y' } });
      expect(outcome(malformed)).toEqual([400, 'invalid-idempotency-key']);
      const without = await service.send(target, { ...sent, headers: {} });
      if (isRequired) expect(outcome(without)).toEqual([400, 'idempotency-key-required']);
      else expect(without.status).toBeLessThan(300);
    });
  }
});

describe('Fields and expand', () => {
  const reads = matrix.flatMap(([title, version, , operation]) => {
    const resource = operation.returns[200];
    return !operation.isWrite && resource ? [{ title, version, operation, resource }] : [];
  });

  /** Reads the first row of a list, or the member. */
  const reader = (service: Service, operation: Operation, target: string) => async (parameters: object) => {
    const size = 'page' in parameters ? 'per_page' : 'limit';
    const all = { ...parameters, ...(operation.list && { sort: orderOf(operation), [size]: 1 }) };
    const answer = await service.send(`${target}${query(all)}`);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return (operation.list ? answer.json.data[0] : answer.json) as Row;
  };

  const partsOf = (whole: Row, names: readonly string[]): Row =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => names.includes(name)));

  /** The queries of a list: a filter and a page by number make the list read its rows in another way. */
  const waysToRead = ({ list }: Operation, version: Version, row: Row): readonly object[] => {
    const filters = list?.filters.filter((name) => row[name] !== null && row[name] !== undefined) ?? [];
    const pages = list && version === 'v1' ? [{ page: 1 }] : [];
    return [{}, ...pages, ...filters.map((name) => ({ [name]: row[name] }))];
  };

  /** To save time, a list tries all names only under v2, and a member only under v1; otherwise only the last name. */
  const singleNames = ({ list }: Operation, version: Version, names: readonly string[]): readonly string[] =>
    (list !== undefined) === (version === 'v2') ? names : names.slice(-1);

  for (const { title, version, operation, resource } of partOf(reads, 7)) {
    testWith(...needsOf(operation))(
      `${title} with fields: exactly these fields, also when expanded [CONTRACT §6]`,
      async () => {
        const { target } = await prepareShared(service, operation, version);
        const read = reader(service, operation, target);
        const names = Object.keys(resource.fields[version]);
        const whole = await read({});
        expect(Object.keys(whole)).toEqual(names);
        const ways = waysToRead(operation, version, whole);
        for (const name of singleNames(operation, version, names))
          for (const way of ways) expect(await read({ ...way, fields: name })).toStrictEqual(partsOf(whole, [name]));
        const reversed = await read({ fields: names.toReversed().join() });
        expect(JSON.stringify(reversed)).toBe(JSON.stringify(whole));
        expect(await read({ fields: 'id,created_at,id' })).toStrictEqual(partsOf(whole, ['id', 'created_at']));
        for (const relation of Object.keys(operation.relations)) {
          const expanded = await read({ expand: `${relation},${relation}` });
          expect(Object.keys(expanded)).toEqual([...names, relation]);
          expect(await read({ expand: relation, fields: 'id' })).toStrictEqual(partsOf(expanded, ['id', relation]));
        }
      },
    );
  }

  for (const { title, version, operation, resource } of partOf(reads, 7)) {
    testWith(...needsOf(operation))(
      `${title} with unknown names: 422 with the allowed ones [CONTRACT §6]`,
      async () => {
        const { target } = await prepareShared(service, operation, version);
        const names = Object.keys(resource.fields[version]);
        const wrong = ['account_id', 'version', 'nope', '', 'id,', ...Object.keys(resource.relations)];
        const unknown = wrong.filter((name) => !names.includes(name));
        for (const fields of unknown) {
          const { status, json } = await service.send(`${target}${query({ fields })}`);
          expect([fields, status, json.errors[0].parameter]).toEqual([fields, 422, 'fields']);
          for (const name of names) expect(json.errors[0].detail).toContain(name);
        }
        const expansions = ['', 'nope', 'account', 'customer', 'items'].filter(
          (name) => !Object.hasOwn(operation.relations, name),
        );
        for (const expand of expansions) {
          const { status, json } = await service.send(`${target}${query({ expand })}`);
          expect([expand, status, json.errors[0].parameter]).toEqual([expand, 422, 'expand']);
        }
      },
    );
  }
});
