import type { Preset } from '#infra/settings/stages.ts';
import { type Endpoint, type Method, routeOf } from '#shared/platform/endpoint.ts';
import { DEFAULT_ROUTE, routesOf } from '#shared/platform/http/routes.ts';

/**
 * The share of the stage's throughput that one route may use. A write costs DynamoDB several times as much as a read,
 * and writes of one invoice wait for each other. So a flood of writes is throttled before it uses the share of the
 * reads.
 */
const SHARE_BY_METHOD: Readonly<Record<Method, number>> = { GET: 1, POST: 0.2, PUT: 0.2, PATCH: 0.2, DELETE: 0.2 };

const shareOf = (endpoint: Endpoint): number => SHARE_BY_METHOD[routeOf(endpoint).method];

interface RouteThrottle {
  readonly ThrottlingRateLimit: number;
  readonly ThrottlingBurstLimit: number;
}

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
