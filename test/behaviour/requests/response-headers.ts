import { randomUUID } from 'node:crypto';
import { expect } from 'expect';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import type { Sent } from '#test/acceptance/suite/service.ts';
import { constantHeaders, JSON_TYPE } from '../support/requests.ts';

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

export const responseHeaders: Group = {
  name: 'Response headers',
  checks: [
    check('CONTRACT §12', 'HEAD of a resource that does not exist: 404 without a body', async (service) => {
      const { status, text } = await service.send('/v1/invoices/1', { method: 'HEAD' });
      expect([status, text]).toEqual([404, '']);
    }),
    ...RESPONSES.map(([status, target, sent]) =>
      check(
        'CONTRACT §10',
        `${sent?.method ?? 'GET'} ${target}, ${status}: X-Request-Id, nosniff, CORS and the exposed headers`,
        async (service) => {
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
        },
      ),
    ),
    check('CONTRACT §8', 'any write, even if refused: no-store; a replay has the same headers', async (service) => {
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
    }),
    check('CONTRACT §10', 'a preflight without a token: 204 with the allowed methods and headers', async (service) => {
      const answer = await service.send('/v1/invoices/1', { method: 'OPTIONS', headers: PREFLIGHT, as: 'nobody' });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      const methods = answer.headers['access-control-allow-methods']?.split(/, */);
      expect(methods).toEqual(expect.arrayContaining(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']));
      const allowed = answer.headers['access-control-allow-headers']?.toLowerCase().split(/, */);
      const needed = ['authorization', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'];
      expect(allowed).toEqual(expect.arrayContaining(needed));
    }),
    ...REQUESTED.map((names) =>
      check('CONTRACT §10', `a preflight that asks for ${names}: allows each of them`, async (service) => {
        const headers = { ...PREFLIGHT, 'access-control-request-headers': names };
        for (const target of ['/v1/invoices', '/v2/exports/1/file', '/v1/nope']) {
          const answer = await service.send(target, { method: 'OPTIONS', headers, as: 'nobody' });
          const allowed = answer.headers['access-control-allow-headers']?.toLowerCase().split(', ') ?? [];
          expect([answer.status, new Set(allowed).size]).toEqual([204, allowed.length]);
          const asked = names.toLowerCase().split(/ *, */).filter(Boolean);
          expect(allowed).toEqual(expect.arrayContaining(['authorization', ...asked]));
        }
      }),
    ),
    check('CONTRACT §10', 'a preflight that asks for what is no header name: not allowed', async (service) => {
      const headers = { ...PREFLIGHT, 'access-control-request-headers': 'baggage, a b, x;y, "z", é' };
      const { status, headers: sent } = await service.send('/v1/invoices', {
        method: 'OPTIONS',
        headers,
        as: 'nobody',
      });
      expect([status, sent['access-control-allow-headers']?.split('tracestate')[1]]).toEqual([204, ', baggage']);
    }),
    check('CONTRACT §10', 'a request of any origin: allowed', async (service) => {
      const { headers } = await service.send('/v1/invoices', { headers: { origin: 'https://app.example' } });
      expect(headers['access-control-allow-origin']).toBe('*');
    }),
  ],
};
