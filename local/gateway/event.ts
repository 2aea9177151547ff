import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { GatewayEvent } from '#shared/platform/gateway.ts';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as sent, not decoded. */
  readonly target: string;
  /** Alternating names and values, as in Node's `rawHeaders`, without joined duplicates. */
  readonly rawHeaders: readonly string[];
  /** Undefined if it is larger than API Gateway accepts. */
  readonly body: Buffer | undefined;
  readonly sourceIp: string;
  readonly port: number;
  readonly time: Date;
}

export interface RoutedRequest {
  /** The route: `GET /v1/invoices/{invoice_id}`, or `$default`. */
  readonly routeKey: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Path and query of a target, without its scheme and host if it has them (RFC 9112 §3.2.2). */
export const splitTarget = (target: string): { path: string; query: string } => {
  const origin = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [path = '', ...query] = origin.split('?');
  return { path: path || '/', query: query.join('?') };
};

/** Hop-by-hop headers (RFC 9110 §7.6.1), which the gateway removes. */
const HOP_BY_HOP = ['connection', 'expect', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];

type Pair = readonly [name: string, value: string];

const joinValues = (pairs: Iterable<Pair>, separatorOf: (name: string) => string): Map<string, string> => {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? value : earlier + separatorOf(name) + value);
  }
  return values;
};

const headersOf = (raw: readonly string[]): Map<string, string> => {
  const pairs = raw.flatMap((name, i): Pair[] => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] as string]] : []));
  const headers = joinValues(pairs, (name) => (name === 'cookie' ? '; ' : ','));
  for (const name of HOP_BY_HOP) headers.delete(name);
  return headers;
};

const cookiesOf = (header: string | undefined): string[] => header?.split(/;\s*/).filter(Boolean) ?? [];

/**
 * Media types that HTTP APIs pass on as text. AWS documents only that binary types are base64. That all other types are
 * base64, even `+json` and forms, was measured (github.com/ministackorg/ministack/pull/766).
 */
const TEXTUAL = /^\s*(text\/[^;]*|application\/(json|xml|javascript))\s*(;|$)/i;

/** A body that is not UTF-8 is base64 whatever its type, so that the handler can reject it (CONTRACT §12). */
const bodyOf = (body: Buffer | undefined, type = ''): Pick<GatewayEvent, 'body' | 'isBase64Encoded'> => {
  if (!body?.length) return { isBase64Encoded: false };
  const isBase64Encoded = !TEXTUAL.test(type) || !isUtf8(body);
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
};

const queryOf = (query: string): Record<string, string> =>
  Object.fromEntries(joinValues(new URLSearchParams(query), () => ','));

/** HTTP APIs decode `rawPath` (github.com/middleapi/standard-server/pull/93), but not `rawQueryString`. */
const decodedPath = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

const unlessEmpty = <K extends string, V extends object>(name: K, value: V): { [N in K]?: V } =>
  (Object.keys(value).length > 0 ? { [name]: value } : {}) as { [N in K]?: V };

/** A time in the Common Log Format: `21/Nov/2026:09:30:00 +0000`. */
const commonLogTime = (time: Date): string => {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
};

/** The `requestContext` of an event in payload format 2.0, without an authorizer. */
const requestContext = (
  { method, sourceIp, time }: ReceivedRequest,
  routeKey: string,
  path: string,
  headers: ReadonlyMap<string, string>,
): GatewayEvent['requestContext'] => {
  const [domainName = ''] = (headers.get('host') ?? '').split(':');
  return {
    accountId: '000000000000',
    apiId: 'local',
    domainName,
    domainPrefix: domainName.split('.')[0] as string,
    http: { method, path, protocol: 'HTTP/1.1', sourceIp, userAgent: headers.get('user-agent') ?? '' },
    requestId: randomUUID(),
    routeKey,
    stage: '$default',
    time: commonLogTime(time),
    timeEpoch: time.getTime(),
  };
};

/** The event of an API Gateway HTTP API for a request, in payload format 2.0. */
export const gatewayEvent = (received: ReceivedRequest, { routeKey, parameters }: RoutedRequest): GatewayEvent => {
  const { path, query } = splitTarget(received.target);
  const rawPath = decodedPath(path);
  const headers = headersOf(received.rawHeaders);
  const cookies = cookiesOf(headers.get('cookie'));
  headers.delete('cookie');
  headers.set('x-forwarded-for', received.sourceIp);
  headers.set('x-forwarded-port', String(received.port));
  headers.set('x-forwarded-proto', 'http');
  return {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: query,
    ...unlessEmpty('cookies', cookies),
    headers: Object.fromEntries(headers),
    ...unlessEmpty('queryStringParameters', queryOf(query)),
    ...unlessEmpty('pathParameters', parameters),
    requestContext: requestContext(received, routeKey, rawPath, headers),
    ...bodyOf(received.body, headers.get('content-type')),
  };
};
