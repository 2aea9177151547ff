import type { GatewayResult } from '#shared/platform/gateway.ts';
import type { Origins } from '#shared/platform/http/origins.ts';
import type { Received, RequestHeader, ResponseHeader } from '#shared/platform/http/pipeline/steps/step.ts';

/** CONTRACT §10: the response headers that scripts may read. */
export const EXPOSED_HEADERS: readonly (ResponseHeader | 'Allow' | 'Dry-Run')[] = [
  'ETag',
  'Location',
  'Link',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Dry-Run',
  'Allow',
  'Deprecation',
  'Sunset',
  'WWW-Authenticate',
  'RateLimit',
  'RateLimit-Policy',
];
/** The request headers that the service reads, which a preflight always allows. */
export const ALLOWED_HEADERS: readonly RequestHeader[] = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'traceparent',
  'tracestate',
];
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const MAX_AGE_S = '86400';

/** Lets pages of the allowed origins call the service (CONTRACT §10). */
export const writeCors = (request: Received, headers: GatewayResult['headers'], origins: Origins): void => {
  const { allowsAny, allows } = origins;
  if (!allowsAny) headers['vary'] = [headers['vary'], 'Origin'].filter(Boolean).join(', ');
  const { origin = '' } = request.headers;
  if (!allowsAny && !allows(origin)) return;
  headers['access-control-allow-origin'] = allowsAny ? '*' : origin;
  headers['access-control-expose-headers'] = EXPOSED_HEADERS.join(', ');
  if (!isPreflight(request)) return;
  headers['access-control-allow-methods'] = METHODS;
  headers['access-control-allow-headers'] = allowedHeaders(request).join(', ');
  headers['access-control-max-age'] = MAX_AGE_S;
};

/** RFC 9110 §5.6.2 */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Permits also the headers that the preflight asks for: tracing libraries add headers such as `baggage` to requests of
 * any page.
 */
const allowedHeaders = ({ headers }: Received): string[] => {
  const requested = (headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const known = ALLOWED_HEADERS.map((name) => name.toLowerCase());
  const others = requested.filter((name) => HEADER_NAME.test(name) && !known.includes(name));
  return [...ALLOWED_HEADERS, ...new Set(others)];
};

export const isPreflight = ({ method, headers }: Pick<Received, 'method' | 'headers'>): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
