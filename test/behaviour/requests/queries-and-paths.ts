import { expect } from 'expect';
import { endpoints } from '#functions/index.ts';
import { isPublic, routeOf } from '#shared/platform/endpoint.ts';
import { check, type Group } from '#test/acceptance/suite/check.ts';
import { outcome } from '../support/requests.ts';

/** Queries that are 422, and the parameter that the problem names. */
const INVALID: Readonly<Record<string, readonly string[]>> = {
  limit: ['limit=1&limit=1', 'limit=', 'limit=0', 'limit=101', 'limit=1.5', 'limit=-1', 'limit=1e1', 'limit=%201'],
  page: ['page=0', 'page=', 'page=x', 'page=1&page=2'],
  per_page: ['per_page=0', 'per_page=101', 'per_page=10&after=x'],
  sort: ['sort=total_cents', 'sort=', 'sort=-id,id'],
  status: ['status=nope', 'status=', 'status=open&status=open'],
  customer_id: ['customer_id=abc', 'customer_id=0', 'customer_id=9007199254740992'],
  stauts: ['stauts=open'],
  fields: ['fields=', 'fields=id,', 'fields=customer', 'fields=account_id', 'fields=version', 'fields=id&fields=id'],
  expand: ['expand=', 'expand=account'],
};
const MALFORMED = ['fields=%', 'fields=%ff', 'x=%zz'];
const NO_CURSOR = ['after=', 'after=abc'];

type Unrouted = readonly [method: string, path: string, status: number, code: string];
const UNROUTED: readonly Unrouted[] = [
  ...['/nope', '/v1', '/v1/', '/v1/nope', '/v1/invoices/', '/v1//invoices', '/v1/invoices/%zz', '/v1/health'].map(
    (path) => ['GET', path, 404, 'not-found'] as const,
  ),
  ...[
    '/v3',
    '/v3/',
    '/v3/nothing',
    '/v3/invoices/1/nothing',
    '/v3/health',
    '/v1x/invoices',
    '/invoices/1/nothing',
  ].flatMap((path) => ['GET', 'OPTIONS'].map((method) => [method, path, 404, 'not-found'] as const)),
  ...['/invoices', '/v3/invoices', '/v10/invoices/1', '/v0/invoices/1/cancel'].flatMap((path) =>
    ['GET', 'OPTIONS'].map((method) => [method, path, 404, 'version-required'] as const),
  ),
  ['POST', '/health', 405, 'method-not-allowed'],
];
const ENCODED = [
  ['GET', '/v1/%69nvoices'],
  ['POST', '/v1/%69nvoices'],
  ['GET', '/v1%2finvoices'],
  ['GET', '/v1/%69nvoices/1'],
  ['GET', '/%68ealth'],
  ['GET', '/%64ocs'],
] as const;

/** Every path of the API without its version, and its methods. */
const paths = Map.groupBy(
  Object.values(endpoints).flatMap((endpoint) => (isPublic(endpoint) ? [] : [routeOf(endpoint)])),
  ({ path }) => path.replace(/\{[^}]*\}/g, '1'),
);
const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'TRACE', 'PROPFIND'];

export const queries: Group = {
  name: 'Queries',
  checks: [
    ...MALFORMED.map((query) =>
      check('CONTRACT §12', `?${query}: 400 malformed-query`, async (service) => {
        expect(outcome(await service.send(`/v1/invoices?${query}`))).toEqual([400, 'malformed-query']);
      }),
    ),
    ...NO_CURSOR.map((query) =>
      check('CONTRACT §12', `?${query}: 400 invalid-cursor`, async (service) => {
        expect(outcome(await service.send(`/v1/invoices?${query}`))).toEqual([400, 'invalid-cursor']);
      }),
    ),
    ...Object.entries(INVALID).flatMap(([parameter, all]) =>
      all.map((query) =>
        check('CONTRACT §12', `?${query}: 422 naming ${parameter}`, async (service) => {
          const answer = await service.send(`/v1/invoices?${query}`);
          expect(outcome(answer)).toEqual([422, 'validation-failed']);
          expect(answer.json.errors).toContainEqual(expect.objectContaining({ parameter }));
        }),
      ),
    ),
    check('CONTRACT §6', 'an unknown field name: the detail lists the allowed ones', async (service) => {
      const answer = await service.send('/v2/invoices?fields=total_cents');
      expect(answer.json.errors[0].detail).toContain('total, ');
      expect(answer.json.errors[0].detail).not.toContain('total_cents,');
    }),
  ],
};

export const pathsAndMethods: Group = {
  name: 'Paths and methods',
  checks: [
    ...UNROUTED.map(([method, path, status, code]) =>
      check('CONTRACT §4', `${method} ${path} without a token: ${status} ${code}`, async (service) => {
        expect(outcome(await service.send(path, { method, as: 'nobody' }))).toEqual([status, code]);
      }),
    ),
    ...[...paths].flatMap(([path, routes]) => [
      check(
        'CONTRACT §4',
        `${path} without a version or with an unknown one: 404 version-required`,
        async (service) => {
          for (const { method } of routes)
            for (const target of [path, `/v0${path}`, `/v3${path}`, `/V1${path}`])
              expect([target, ...outcome(await service.send(target, { method, as: 'nobody' }))]).toEqual([
                target,
                404,
                target.startsWith('/V1') ? 'not-found' : 'version-required',
              ]);
        },
      ),
      check(
        'CONTRACT §4',
        `${path} with other methods: 405 with Allow; with a slash at its end: 404`,
        async (service) => {
          const own = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
          for (const version of ['v1', 'v2'])
            for (const method of METHODS.filter((one) => !own.includes(one))) {
              const { status, headers, json } = await service.send(`/${version}${path}`, { method, as: 'nobody' });
              const body = method === 'HEAD' ? undefined : 'method-not-allowed';
              expect([method, status, json?.code]).toEqual([method, 405, body]);
              expect(headers['allow']?.split(', ').sort()).toEqual([...own, 'OPTIONS'].sort());
            }
          expect(outcome(await service.send(`/v1${path}/`))).toEqual([404, 'not-found']);
        },
      ),
    ]),
    ...ENCODED.map(([method, path]) =>
      check('CONTRACT §4', `${method} ${path}, a path with a percent-encoded letter: 404`, async (service) => {
        const answer = await service.send(path, { method });
        expect(outcome(answer)).toEqual([404, 'not-found']);
        expect(answer.headers['allow']).toBeUndefined();
      }),
    ),
    check('CONTRACT §4', 'a percent-encoded path and a method that the resource lacks: 405', async (service) => {
      const answer = await service.send('/v1/%69nvoices', { method: 'DELETE' });
      const allowed = 'GET, HEAD, POST, OPTIONS';
      expect([...outcome(answer), answer.headers['allow']]).toEqual([405, 'method-not-allowed', allowed]);
    }),
    ...['0', '-1', '01', '1.0', '+1', '9007199254740992', 'abc', '1e3'].map((id) =>
      check('CONTRACT §3', `/v1/invoices/${id}, not an id of a resource: 404`, async (service) => {
        expect(outcome(await service.send(`/v1/invoices/${id}`))).toEqual([404, 'not-found']);
      }),
    ),
  ],
};
