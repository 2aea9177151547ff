import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import type { GatewayEvent } from '#shared/platform/gateway.ts';

export interface Sent {
  readonly method?: string;
  /** A header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A string is sent unchanged, a Buffer in Base64 as by API Gateway, any other value as JSON. */
  readonly body?: unknown;
}

/** HTTP APIs decode the path after routing. */
const decode = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/**
 * Creates the event that API Gateway (HTTP API, payload 2.0) sends for a request.
 * @param template the path of the matching route
 */
export const gatewayEvent = (
  target: string,
  sent: Sent,
  parameters: Record<string, string> = {},
  template?: string,
): GatewayEvent => {
  const [path = '', ...query] = target.split('?');
  const rawPath = decode(path);
  const method = sent.method ?? 'GET';
  const json = sent.body !== undefined && typeof sent.body !== 'string' && !Buffer.isBuffer(sent.body);
  const headers = Object.entries({ ...(json && { 'content-type': 'application/json' }), ...sent.headers });
  const body = json ? JSON.stringify(sent.body) : sent.body;
  return {
    version: '2.0',
    routeKey: template === undefined ? '$default' : `${method} ${template}`,
    rawPath,
    rawQueryString: query.join('?'),
    headers: Object.fromEntries(
      headers.flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
    ),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'test',
      domainName: 'test',
      domainPrefix: 'test',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
    pathParameters: parameters,
    ...(body !== undefined && { body: Buffer.isBuffer(body) ? body.toString('base64') : (body as string) }),
    isBase64Encoded: Buffer.isBuffer(body),
  };
};

/** Creates a Lambda context with this remaining time; a deployed function has 15 seconds. */
export const lambdaContext = (milliseconds = 15_000): Context => {
  const end = Date.now() + milliseconds;
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => end - Date.now() } as unknown as Context;
};
