import { isUtf8 } from 'node:buffer';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import { requestContext } from './request-context.ts';

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as sent, nothing decoded. */
  readonly target: string;
  /** Names and values in turn, as Node's `rawHeaders`: repeated ones apart. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  /** The port that it came in at. */
  readonly port: number;
  readonly time: Date;
}

/** Where the gateway routes it. */
export interface RoutedRequest {
  /** The route's name: `GET /v1/invoices/{invoice_id}`, or `$default`. */
  readonly routeKey: string;
  /** Decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** A target's path and query; a target with a scheme and host is cut to its path (RFC 9112 §3.2.2). */
export const splitTarget = (target: string): { path: string; query: string } => {
  const origin = target.replace(/^https?:\/\/[^/?]*/i, '');
  const [path = '', ...query] = origin.split('?');
  return { path: path || '/', query: query.join('?') };
};

/** These concern one connection (RFC 9110 §7.6.1) and end at the gateway. */
const HOP_BY_HOP = ['connection', 'expect', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];

type Pair = readonly [name: string, value: string];

/** Repeated names become one, their values joined in the order sent. */
const joined = (pairs: Iterable<Pair>, separatorOf: (name: string) => string): Map<string, string> => {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? value : earlier + separatorOf(name) + value);
  }
  return values;
};

const headersOf = (raw: readonly string[]): Map<string, string> => {
  const pairs = raw.flatMap((name, i): Pair[] => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] as string]] : []));
  const headers = joined(pairs, (name) => (name === 'cookie' ? '; ' : ','));
  for (const name of HOP_BY_HOP) headers.delete(name);
  return headers;
};

const cookiesOf = (header: string | undefined): string[] => header?.split(/;\s*/).filter(Boolean) ?? [];

/**
 * What HTTP APIs hand on as text. AWS documents only that binary types are base64; that all others but these are, even
 * `+json` and forms, was measured there (github.com/ministackorg/ministack/pull/766).
 */
const TEXTUAL = /^\s*(text\/[^;]*|application\/(json|xml|javascript))\s*(;|$)/i;

/** Bytes that are no UTF-8 stay base64 whatever their type, so that the handler can refuse them (CONTRACT §12). */
const bodyOf = (body: Buffer, type = ''): Pick<GatewayEvent, 'body' | 'isBase64Encoded'> => {
  if (body.length === 0) return { isBase64Encoded: false };
  const isBase64Encoded = !TEXTUAL.test(type) || !isUtf8(body);
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
};

const queryOf = (query: string): Record<string, string> =>
  Object.fromEntries(joined(new URLSearchParams(query), () => ','));

/** HTTP APIs decode the path that they call raw (github.com/middleapi/standard-server/pull/93), unlike the query. */
const decodedPath = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

const unlessEmpty = <K extends string, V extends object>(name: K, value: V): { [N in K]?: V } =>
  (Object.keys(value).length > 0 ? { [name]: value } : {}) as { [N in K]?: V };

/** The event that an API Gateway HTTP API makes of a request, in payload format 2.0. */
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
    requestContext: requestContext({ ...received, routeKey, path: rawPath, headers }),
    ...bodyOf(received.body, headers.get('content-type')),
  };
};
