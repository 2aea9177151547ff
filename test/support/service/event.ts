import { gatewayEvent, type ReceivedRequest } from '#local/gateway/event.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';

export interface Sent {
  readonly method?: string;
  /** A header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A string or a Buffer is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

/** The request as an HTTP server receives it. */
export const receivedRequest = (target: string, { method = 'GET', headers = {}, body }: Sent = {}): ReceivedRequest => {
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const all = { host: 'localhost', ...(isJson && { 'content-type': 'application/json' }), ...headers };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(isJson ? JSON.stringify(body) : ((body ?? '') as string));
  const from = { sourceIp: '127.0.0.1', port: 443, time: new Date() };
  return { method, target, rawHeaders: sent.flat(), body: bytes, ...from };
};

/**
 * The event of a request, for a test that calls a function or a step itself.
 * @param template the path of the matching route
 */
export const eventOf = (
  target: string,
  sent: Sent = {},
  parameters: Record<string, string> = {},
  template?: string,
): GatewayEvent => {
  const routeKey = template === undefined ? DEFAULT_ROUTE : `${sent.method ?? 'GET'} ${template}`;
  return gatewayEvent(receivedRequest(target, sent), { routeKey, parameters });
};
