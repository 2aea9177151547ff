import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Exchange, Middleware } from './context.ts';

const EXPOSED =
  'ETag, Location, Link, Retry-After, X-Request-Id, Idempotent-Replayed, Dry-Run, Allow, Deprecation, Sunset, ' +
  'WWW-Authenticate';
const REQUESTED = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, traceparent, tracestate';
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const A_DAY = '86400';

/**
 * Lets pages of the allowed origins call the service (CONTRACT §10).
 * @param origins `*`, or the origins as browsers send them
 */
export const cors = (origins: readonly string[]): Middleware => {
  const any = origins.includes('*');
  const allowed = (origin: string | undefined) => (any ? '*' : origins.find((one) => one === origin));
  const stamp = ({ event, response }: { event: Exchange; response: GatewayResult | null | undefined }) => {
    if (!response) return;
    if (!any) response.headers['vary'] = [response.headers['vary'], 'Origin'].filter(Boolean).join(', ');
    const origin = allowed(event.headers['origin']);
    if (origin === undefined) return;
    response.headers['access-control-allow-origin'] = origin;
    response.headers['access-control-expose-headers'] = EXPOSED;
    if (!isPreflight(event)) return;
    response.headers['access-control-allow-methods'] = METHODS;
    response.headers['access-control-allow-headers'] = REQUESTED;
    response.headers['access-control-max-age'] = A_DAY;
  };
  return { name: 'cors', after: stamp, onError: stamp };
};

/** A browser's question before a cross-origin request (Fetch, CORS-preflight). */
export const isPreflight = ({ method, headers }: Pick<Exchange, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
