import type { Preset } from '#infra/settings/stages.ts';
import { type Endpoint, type Method, routeOf } from '#shared/platform/endpoint.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';

/**
 * What part of a stage's throughput one route may take. Writes cost DynamoDB several times what reads do, and those of
 * one invoice wait for each other, so that a client that floods them is stopped before it takes the reads' share, too.
 */
const SHARES: Readonly<Record<Method, number>> = { GET: 1, POST: 0.2, PUT: 0.2, PATCH: 0.2, DELETE: 0.2 };

/** The routes that are not as cheap as their method says. */
const OWN: Readonly<Record<string, number>> = {};

const shareOf = (endpoint: Endpoint): number => OWN[endpoint.route] ?? SHARES[routeOf(endpoint).method];

interface RouteThrottle {
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

/** The limits of the routes that have lower ones than their stage, by the gateway's keys. */
export const routeThrottles = (
  endpoints: readonly Endpoint[],
  { throttle: { rate, burst } }: Pick<Preset, 'throttle'>,
): Record<string, RouteThrottle> => {
  const part = (limit: number, share: number) => Math.max(1, Math.round(limit * share));
  const lower = endpoints.filter((endpoint) => endpoint.route !== DEFAULT_ROUTE && shareOf(endpoint) < 1);
  const limits = lower.flatMap((endpoint) => {
    const share = shareOf(endpoint);
    const limit = { ThrottlingRateLimit: part(rate, share), ThrottlingBurstLimit: part(burst, share) };
    return routesOf(endpoint).map(({ method, path }) => [`${method} ${path}`, limit]);
  });
  return Object.fromEntries(limits);
};
