import { expect, test } from '@jest/globals';
import type { Endpoint } from '#shared/platform/http/endpoint.ts';
import { matches, routesOf } from '#shared/platform/http/routes.ts';
import { character } from '#test/support/random/character.ts';
import fc from '#test/support/random/fast-check.ts';

/** Endpoints with only the fields that routes need. */
const TABLE = [
  { route: 'GET /customers' },
  { route: 'GET /customers/{customer_id}' },
  { route: 'POST /invoices/{invoice_id}/cancel' },
  { route: 'GET /invoices/{invoice_id}/payments' },
  { route: 'GET /invoices/{invoice_id}/payments/{payment_id}' },
  { route: 'GET /health', public: true },
].map(({ route, ...rest }) => {
  const [method, path] = route.split(' ');
  return { route, method, path, ...rest };
}) as unknown as Endpoint[];
const ROUTES = TABLE.flatMap(routesOf);

const found = (path: string): string => [...new Set(matches(ROUTES, path).map(({ route }) => route.path))].join(' ');

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
