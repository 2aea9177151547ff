import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { endConnectionsOf } from '#local/cli/linger.ts';
import { closeServer, HOST, openPort } from '#local/cli/open-port.ts';
import { currentRequest } from '#local/logs/current-request.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';
import { readBody } from './body.ts';
import type { ReceivedRequest } from './event.ts';
import { FAILED, type Handle } from './handle.ts';
import { rejectMalformedHttp, rejectOtherHost } from './invalid-requests.ts';

/** API Gateway's limit for a body, far above the service's (CONTRACT §10). */
const MAX_BYTES = 10 * 1024 * 1024;

/**
 * API Gateway's limit for "request line and header values" of HTTP APIs. Its response is not documented: 431 is an
 * assumption. Node counts the names of the headers too, and not the method and the version.
 */
const MAX_HEAD_BYTES = 10_240;

/** An HTTP server that replaces API Gateway. */
export interface Gateway {
  readonly url: string;
  /** Accepts no more requests, and waits until running requests are answered, but at most this long. */
  close(graceMs: number): Promise<void>;
}

export const openGateway = async (port: number, handle: Handle): Promise<Gateway> => {
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) => {
    void respond(request, response, handle, server);
  });
  server.on('clientError', rejectMalformedHttp(MAX_HEAD_BYTES));
  endConnectionsOf(server);
  const listening = await openPort(server, port, 'Set PORT to another port, or to 0 for a free one.');
  return { url: `http://${HOST}:${listening}`, close: (graceMs) => closeServer(server, graceMs) };
};

const respond = async (
  request: IncomingMessage,
  response: ServerResponse,
  handle: Handle,
  server: Server,
): Promise<void> => {
  try {
    const result = await handleRequest(request, handle);
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

const handleRequest = async (request: IncomingMessage, handle: Handle): Promise<GatewayResult> => {
  const rejected = rejectOtherHost(request.headers.host);
  if (rejected) return rejected;
  const received = toReceivedRequest(request, await readBody(request, MAX_BYTES));
  return currentRequest.run(received, () => handle(received));
};

const toReceivedRequest = (
  { method = '', url = '', rawHeaders, socket }: IncomingMessage,
  body: Buffer | undefined,
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
