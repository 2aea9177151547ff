import { gatewayEvent, type ReceivedRequest } from '#local/gateway/event.ts';
import type { GatewayEvent } from '#shared/platform/gateway.ts';
import { DEFAULT_ROUTE } from '#shared/platform/http/routes.ts';
import { type RequestParts, type SentRequest, toSentRequest } from './transport.ts';

/** The request as an HTTP server receives it. */
export const receivedRequest = ({ method, target, headers, body = '' }: SentRequest): ReceivedRequest => ({
  method,
  target,
  rawHeaders: Object.entries({ host: 'localhost', ...headers }).flat(),
  body: Buffer.isBuffer(body) ? body : Buffer.from(body),
  sourceIp: '127.0.0.1',
  port: 443,
  time: new Date(),
});

/**
 * The event of a request, for a test that calls a function or a step itself.
 * @param template the path of the matching route
 */
export const eventOf = (
  target: string,
  parts: RequestParts = {},
  parameters: Record<string, string> = {},
  template?: string,
): GatewayEvent => {
  const routeKey = template === undefined ? DEFAULT_ROUTE : `${parts.method ?? 'GET'} ${template}`;
  return gatewayEvent(receivedRequest(toSentRequest(target, parts)), { routeKey, parameters });
};
