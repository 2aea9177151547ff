import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Starts a server on an ephemeral port. */
export const serve = async (listener: RequestListener): Promise<{ url: string; stop(): Promise<void> }> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};

const toRequest = async (message: IncomingMessage): Promise<Request> => {
  const { method = 'GET', url = '/', headers } = message;
  const body = await text(message);
  return new Request(new URL(url, 'http://service'), {
    method,
    headers: headers as Record<string, string>,
    ...(body && { body }),
  });
};

/** A handler of Request and Response as a listener of Node's server. */
export const listenerOf =
  (handle: (request: Request) => Promise<Response>): RequestListener =>
  async (message, response) => {
    const { status, headers, body } = await handle(await toRequest(message));
    response.writeHead(status, Object.fromEntries(headers)).end(body && (await text(body)));
  };
