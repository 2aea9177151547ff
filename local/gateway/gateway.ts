import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { endConnectionsOf } from '#local/cli/linger.ts';
import { closeServer, HOST, openPort } from '#local/cli/open-port.ts';
import { currentRequest } from '#local/logs/current-request.ts';
import type { GatewayEvent, GatewayResult } from '#shared/platform/gateway.ts';
import { readBody } from './body.ts';
import { gatewayEvent, type ReceivedRequest, splitTarget } from './event.ts';
import { rejectMalformedHttp, rejectOtherHost } from './invalid-requests.ts';
import type { Router } from './invoke.ts';
import { invoke, type LambdaFunction } from './invoke.ts';
import { TOO_LARGE } from './local-endpoints.ts';
import { isEventTooLarge } from './payload.ts';

/** API Gateway's limit for a body, far above the service's (CONTRACT §10). */
const MAX_BYTES = 10 * 1024 * 1024;

const FAILED: GatewayResult = {
  statusCode: 500,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message: 'Internal Server Error' }),
};

/** An HTTP server that replaces API Gateway. */
export interface Gateway {
  readonly url: string;
  /** Accepts no more requests, and waits until the running ones are answered, but at most this long. */
  close(graceMs: number): Promise<void>;
}

export const openGateway = async (port: number, route: Router): Promise<Gateway> => {
  const server = createServer((request, response) => {
    void respond(request, response, route, server);
  });
  server.on('clientError', rejectMalformedHttp);
  endConnectionsOf(server);
  const listening = await openPort(server, port, 'Set PORT to another port, or to 0 for a free one.');
  return { url: `http://${HOST}:${listening}`, close: (graceMs) => closeServer(server, graceMs) };
};

const respond = async (
  request: IncomingMessage,
  response: ServerResponse,
  route: Router,
  server: Server,
): Promise<void> => {
  try {
    const result = await handleRequest(request, route);
    // A closing server keeps no connection open for another request.
    if (!server.listening) response.setHeader('connection', 'close');
    send(response, result);
  } catch (error) {
    // The client has disconnected.
    if (request.destroyed && !request.complete) return;
    console.error(error);
    send(response, FAILED);
  }
};

const handleRequest = async (request: IncomingMessage, route: Router): Promise<GatewayResult> => {
  const rejected = rejectOtherHost(request.headers.host);
  if (rejected) return rejected;
  const body = await readBody(request, MAX_BYTES);
  const received = toReceivedRequest(request, body ?? Buffer.alloc(0));
  const destination = await route(received.method, splitTarget(received.target).path);
  const event = gatewayEvent(received, destination);
  const isTooLarge = body === undefined || isEventTooLarge(event);
  return currentRequest.run(received, () =>
    isTooLarge ? invokeOrFail(TOO_LARGE, { ...event, body: '' }) : invokeOrFail(destination.lambda, event),
  );
};

const invokeOrFail = async (lambda: LambdaFunction, event: GatewayEvent): Promise<GatewayResult> => {
  try {
    return await invoke(lambda, event);
  } catch (error) {
    console.error(`${lambda.name} failed:`, error);
    return FAILED;
  }
};

const toReceivedRequest = (
  { method = '', url = '', rawHeaders, socket }: IncomingMessage,
  body: Buffer,
): ReceivedRequest => ({
  method,
  target: url,
  rawHeaders,
  body,
  sourceIp: socket.remoteAddress ?? HOST,
  port: socket.localPort ?? 0,
  time: new Date(),
});

const send = (response: ServerResponse, result: GatewayResult): void => {
  const { statusCode = 200, headers, cookies = [], body = '', isBase64Encoded = false } = result;
  response.statusCode = statusCode;
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, String(value));
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
};
