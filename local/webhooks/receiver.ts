import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { InvoicingError, verifyWebhook, type WebhookEvent } from '#client/source/index.ts';
import { endConnectionsOf } from '#local/cli/linger.ts';
import { closeServer, HOST, openPort } from '#local/cli/open-port.ts';
import { readBody } from '#local/gateway/body.ts';
import { rejectMalformedHttp } from '#local/gateway/invalid-requests.ts';
import { WEBHOOK_HEADERS } from '#shared/platform/webhooks/headers.ts';
import type { Forwarded } from './event-line.ts';

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

interface ReceiverOptions {
  readonly port: number;
  /** The URL that gets verified events, with their headers. */
  readonly forward: URL | undefined;
  readonly secret: () => Promise<string>;
  readonly onEvent: (event: WebhookEvent, forwarded: Forwarded | undefined) => void;
  /** Called for a request that the service has not signed. */
  readonly onReject: (reason: string) => void;
}

const GRACE_MS = 1000;
/** Far above an event's size. */
const MAX_BYTES = 1024 * 1024;
/** Far above the number of requests that the service sends at the same time. */
const MAX_CONNECTIONS = 100;
/** The time for which the service waits for a response (CONTRACT §15). */
const FORWARD_TIMEOUT_MS = 15_000;
const FORWARDED_HEADERS = ['content-type', ...Object.keys(WEBHOOK_HEADERS)];

/** A receiver of webhooks on this machine. */
export const openReceiver = async (options: ReceiverOptions): Promise<Receiver> => {
  const server = createServer((request, response) => {
    void receive(request, response, options).catch((error) => response.destroy(error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', rejectMalformedHttp());
  endConnectionsOf(server);
  const port = await openPort(server, options.port, 'Choose another one with --port, or 0 for a free one.');
  return { url: `http://${HOST}:${port}`, close: () => closeServer(server, GRACE_MS) };
};

/** Responds before it forwards, so that the service does not repeat an event whose forwarding fails. */
const receive = async (
  request: IncomingMessage,
  response: ServerResponse,
  { forward, secret, onEvent, onReject }: ReceiverOptions,
): Promise<void> => {
  const body = await readBody(request, MAX_BYTES);
  const reject = (status: number, reason: string) => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(`${reason}\n`);
    onReject(`${request.method} ${request.url}: ${reason}`);
  };
  if (!body) return reject(413, 'The body is larger than 1 MiB.');
  try {
    const event = await verifyWebhook(request.headers, body, await secret());
    response.writeHead(204).end();
    onEvent(event, forward && (await forwardTo(forward, request, body)));
  } catch (error) {
    if (!(error instanceof InvoicingError)) throw error;
    reject(400, error.message);
  }
};

const forwardTo = async (url: URL, { headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<Forwarded> => {
  const sent = FORWARDED_HEADERS.map((name): [string, string] => [name, String(headers[name])]);
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
    const { status } = await fetch(url, { method: 'POST', headers: sent, body, signal, redirect: 'manual' });
    return { status };
  } catch (error) {
    const { message, cause } = error as Error;
    return { error: cause instanceof Error ? `${message}: ${cause.message}` : message };
  }
};
