import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { NameError, type Resolve } from '#shared/platform/webhooks/resolve-name.ts';

const read = (file: string) => readFileSync(new URL(`certificate/${file}`, import.meta.url), 'utf8');

/** Self-signed, for the name receiver.test, from 2025 to 2125. It is in the repository because Node cannot create one. */
export const CERTIFICATE = read('certificate.pem');
/** Like CERTIFICATE, but it expired in 2025. */
export const EXPIRED_CERTIFICATE = read('expired.pem');
/** A certificate for the name receiver.test, and the certificate of its issuer, which is not trusted. */
export const CHAIN = read('chain.pem');
const KEY = read('key.pem');

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** The connections since the start. */
  readonly connections: () => number;
  readonly openConnections: () => number;
  readonly close: () => Promise<void>;
}

/** Responds to a request after the receiver has read it. */
export type Behavior = (request: IncomingMessage, response: ServerResponse) => unknown;

interface ReceiverOptions {
  /** Serves https with this certificate. */
  readonly certificate?: string;
  readonly tls?: TlsOptions;
  /** Default: 127.0.0.1; null: all addresses of the machine. */
  readonly host?: string | null;
}

/** Starts a server on an ephemeral port that records each request. */
export const startReceiver = async (
  behavior: Behavior,
  { certificate, tls, host = '127.0.0.1' }: ReceiverOptions = {},
): Promise<Receiver> => {
  const requests: ReceivedRequest[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = async (request, response) => {
    requests.push(await record(request));
    behavior(request, response);
  };
  const server = certificate
    ? createTlsServer({ ...tls, key: KEY, cert: certificate }, listener)
    : createServer(listener);
  server.on('connection', (socket: Socket) => {
    connections++;
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  server.listen(0, host ?? undefined);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate ? 'https' : 'http'}://${host ?? 'localhost'}:${port}`,
    port,
    requests,
    connections: () => connections,
    openConnections: () => open.size,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};

const record = async (request: IncomingMessage): Promise<ReceivedRequest> => {
  const { method = '', url: path = '', headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return { method, path, headers: headers as ReceivedRequest['headers'], body: Buffer.concat(chunks).toString() };
};

export const respond =
  (status: number, headers: Readonly<Record<string, string>> = {}, body: string | Buffer = ''): Behavior =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

/** Writes bytes of a response, and leaves the connection open. */
const write =
  (text: string): Behavior =>
  ({ socket }) =>
    socket.write(text);

/** Writes a text, and then one byte each 20 ms. */
const trickle =
  (text: string): Behavior =>
  ({ socket }) => {
    socket.write(text);
    const timer = setInterval(() => socket.write('a'), 20);
    socket.on('close', () => clearInterval(timer));
  };

/** Writes a text, and then repeats another text without end. */
const flood =
  (text: string, repeated: string): Behavior =>
  ({ socket }) => {
    const chunk = Buffer.from(repeated.repeat(Math.ceil(65_536 / repeated.length)));
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
      if (!socket.destroyed) socket.once('drain', send);
    };
    socket.write(text);
    send();
  };

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

const GIGABYTE = 2 ** 30;
const CHUNK = Buffer.alloc(65_536, 'a');

const endless: Behavior = (_, response) => {
  response.writeHead(200, { 'content-length': GIGABYTE });
  let sent = 0;
  const send = () => {
    while (sent < GIGABYTE && !response.destroyed) {
      sent += CHUNK.length;
      if (!response.write(CHUNK)) return response.once('drain', send);
    }
    return response.end();
  };
  send();
};

export const behaviors = {
  ok: respond(200, {}, 'received'),
  accepted: respond(202, {}, 'queued'),
  noContent: respond(204),
  notModified: respond(304),
  gone: respond(410, {}, 'no longer here'),
  failing: respond(500, {}, 'out of order'),
  throttling: respond(429, { 'retry-after': '120' }, 'too fast'),
  redirecting: respond(307, { location: 'http://127.0.0.1/elsewhere' }, 'elsewhere'),
  settingCookies: respond(200, { 'set-cookie': 'a=b' }),
  hanging: () => {},
  resetting: ({ socket }) => socket.resetAndDestroy(),
  closing: ({ socket }) => socket.end(),
  slowHeaders: trickle('HTTP/1.1 200 OK\r\nX-Slow: '),
  slowBody: trickle('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nslow '),
  endless,
  brokenBody: ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbroken'),
  brokenChunks: write(`${CHUNKED}3\r\nabc\r\nzz\r\n`),
  hugeHeaders: respond(200, { 'x-huge': 'a'.repeat(100_000) }),
  noHttp: write('220 mail.test ESMTP\r\n'),
  noStatus: write('HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'),
  oldHttp: ({ socket }) => socket.end('HTTP/1.0 200 OK\r\n\r\nold'),
  informing: write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  onlyInforming: write('HTTP/1.1 100 Continue\r\n\r\n'),
  endlesslyInforming: flood('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  endlessLines: flood('', '\r\n'),
  endlessChunkSize: flood(CHUNKED, '0'),
  upgrading: write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
  offeringUpgrade: respond(200, { connection: 'upgrade', upgrade: 'h2c' }, 'ok'),
} as const satisfies Record<string, Behavior>;

/** Resolves every name to the lists of addresses in order. The last list repeats. */
export const resolveTo = (
  ...lists: readonly (readonly string[])[]
): Resolve & { readonly names: readonly string[] } => {
  const names: string[] = [];
  const resolve: Resolve = async (name) => {
    const list = lists[Math.min(names.push(name), lists.length) - 1] ?? [];
    const [first, ...others] = list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (first) return [first, ...others];
    throw new NameError('name-not-resolved', `The name ${name} has no address.`);
  };
  return Object.assign(resolve, { names });
};

/** Responds to the first request like this, and to all others with 200. */
export const onlyFirst = (behavior: Behavior): Behavior => {
  let requests = 0;
  return (...exchange) => (requests++ === 0 ? behavior : behaviors.ok)(...exchange);
};

/** Runs `act` before the receiver answers its n-th request. */
export const during = (n: number, act: () => Promise<unknown>, behavior: Behavior = behaviors.ok): Behavior => {
  let requests = 0;
  return async (...exchange) => {
    requests += 1;
    if (requests === n) await act();
    behavior(...exchange);
  };
};
