import { expect, test } from '@jest/globals';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { lacksVersion, matches, routesOf } from '#shared/platform/http/routes.ts';
import { character } from '#test/support/random/character.ts';
import fc from '#test/support/random/fast-check.ts';

/** Endpoints with only the fields that routes need. */
const TABLE = [
  { route: 'GET /customers' },
  { route: 'POST /customers' },
  { route: 'GET /customers/{customer_id}' },
  { route: 'PUT /customers/{customer_id}' },
  { route: 'POST /invoices/{invoice_id}/cancel' },
  { route: 'GET /invoices/{invoice_id}/payments' },
  { route: 'GET /invoices/{invoice_id}/payments/{payment_id}' },
  { route: 'GET /health', public: true },
  { route: '$default', public: true },
].map(({ route, ...rest }) => {
  const [method, path] = route.split(' ');
  return { route, method, path, ...rest };
}) as unknown as Endpoint[];
const ROUTES = TABLE.flatMap(routesOf);

test('an endpoint: under /v1 and /v2; a public endpoint: without a version; HEAD for each GET [CONTRACT §4]', () => {
  expect(ROUTES.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    [
      'GET /health',
      'HEAD /health',
      ...['/v1', '/v2'].flatMap((version) => [
        `GET ${version}/customers`,
        `HEAD ${version}/customers`,
        `POST ${version}/customers`,
        `GET ${version}/customers/{customer_id}`,
        `HEAD ${version}/customers/{customer_id}`,
        `PUT ${version}/customers/{customer_id}`,
        `POST ${version}/invoices/{invoice_id}/cancel`,
        `GET ${version}/invoices/{invoice_id}/payments`,
        `HEAD ${version}/invoices/{invoice_id}/payments`,
        `GET ${version}/invoices/{invoice_id}/payments/{payment_id}`,
        `HEAD ${version}/invoices/{invoice_id}/payments/{payment_id}`,
      ]),
    ].sort(),
  );
});

const found = (path: string): string => [...new Set(matches(ROUTES, path).map(({ route }) => route.path))].join(' ');

test.each<[string, string]>([
  ['/v1/customers', '/v1/customers'],
  ['/v2/customers', '/v2/customers'],
  ['/v1/customers/7', '/v1/customers/{customer_id}'],
  ['/v1/customers/abc', '/v1/customers/{customer_id}'],
  ['/v1/invoices/7/payments/8', '/v1/invoices/{invoice_id}/payments/{payment_id}'],
  ['/health', '/health'],
])('the path %j: matches the route %j [CONTRACT §4, §12]', (path, expected) => {
  expect(found(path)).toBe(expected);
});

const UNKNOWN = [
  ' / /v1 /v1/ /v1/customers/ /v1/customers// /v1//customers //v1/customers /v1/customers/7/ /v1/customers//7',
  '/v1/invoices//payments /v1/invoices/7//payments /v1/invoices/7/payments// /health/ /v1/health v1/customers',
  '/V1/customers /v1/Customers /v1/customer /v1/customers.json /v3/customers /customers /v1/{customer_id}',
  '/v1/customers/% /v1/customers/%zz /v1/customers/%ff /v1/customers/7% /v1/invoices/%c3%28/payments /v1/%63ustomers',
].flatMap((line) => line.split(' '));

test.each(UNKNOWN)('the path %j: matches no route [CONTRACT §4, §12]', (path) => {
  expect(found(path)).toBe('');
});

test('a percent-encoded path parameter: decoded, as by API Gateway', () => {
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1 }), (segment) => {
      const [match] = matches(ROUTES, `/v1/invoices/${encodeURIComponent(segment)}/payments`);
      expect(match?.parameters).toEqual({ invoice_id: segment });
    }),
  );
});

const PATHS = ['/v1/customers', '/v2/customers/7', '/v1/invoices/7/cancel', '/v2/invoices/7/payments/8', '/health'];

test('a path with an additional slash or additional segments: matches no route [CONTRACT §4, §12]', () => {
  fc.assert(
    fc.property(fc.constantFrom(...PATHS), fc.nat(30), (path, at) => {
      const doubled = `${path.slice(0, at)}//${path.slice(at).replace(/^\//, '')}`;
      expect(found(path)).not.toBe('');
      if (doubled.replaceAll('//', '/') === path || at >= path.length) expect(found(doubled)).toBe('');
      expect(found(`${path}/`)).toBe('');
      expect(found(`${path}/x/y/z`)).toBe('');
    }),
  );
});

const NOT_FOUND = [
  '/v3/unknown /v3/customers/7/unknown /v3/customers/ /v3//customers /v3/v1/customers /v1/v1/customers /v3/health /v3',
  '/v3/ /V1/customers /v1x/customers /v/customers /v1.0/customers /customers/7/unknown /v1/unknown',
  '/v2/customers/7/unknown /v1/customers/ /v1 /unknown /customers/ //customers /customers/% / /version/customers',
  ' /constructor /__proto__/customers',
].flatMap((line) => line.split(' '));
const WITHOUT_VERSION = [
  '/customers /customers/7 /invoices/7/payments/8 /v3/customers /v0/customers /v01/customers /v10/customers/7',
  '/v99999999999999999999/customers /v3/customers/7',
].flatMap((line) => line.split(' '));

test.each([
  ...WITHOUT_VERSION.map((path) => [path, 'version-required'] as const),
  ...NOT_FOUND.map((path) => [path, 'not-found'] as const),
])('the path %j, which matches no route: 404 %s [CONTRACT §4]', (path, code) => {
  expect(found(path)).toBe('');
  expect(lacksVersion(ROUTES, path)).toBe(code === 'version-required');
});
