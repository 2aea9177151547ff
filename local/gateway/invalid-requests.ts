import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { endConnection } from '#local/cli/linger.ts';
import { allowedHosts } from '#local/settings/settings.ts';
import type { GatewayResult } from '#shared/platform/gateway.ts';

/** A problem response to a request that reaches no function (CONTRACT §10). */
const invalidHeaderResponse = (status: number, title: string, detail = title): GatewayResult => {
  const id = randomUUID();
  const problem = { type: '/problems/invalid-header', title, status, detail, code: 'invalid-header', request_id: id };
  return {
    statusCode: status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': id, connection: 'close' },
    body: JSON.stringify(problem),
  };
};

/** Permits any port, because the browser uses another port if a port is forwarded (`ssh -L`, VS Code). */
const LOOPBACK = /^(127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?$/i;

const isAllowed = (host: string): boolean =>
  LOOPBACK.test(host) || allowedHosts(process.env).includes(host.toLowerCase().replace(/:\d{1,5}$/, ''));

/**
 * Rejects requests for another host. A web page may have pointed its own host name at the loopback (DNS rebinding), and
 * could then read the responses.
 */
export const rejectOtherHost = (host = ''): GatewayResult | undefined =>
  isAllowed(host)
    ? undefined
    : invalidHeaderResponse(
        421,
        'The request is for another host.',
        'This server accepts requests only for 127.0.0.1, [::1], localhost and the hosts in ALLOWED_HOSTS.',
      );

const TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Responds with a problem to a request that Node does not read, and closes the connection (CONTRACT §10). Later bytes of
 * such a request are errors too, and are discarded.
 * @param headBytes the server's limit of request line and headers
 */
export const rejectMalformedHttp =
  (headBytes = maxHeaderSize) =>
  ({ code }: NodeJS.ErrnoException, socket: Duplex): void => {
    if (code === 'ECONNRESET' || (code === TIMEOUT && !socket.writable)) return void socket.destroy();
    if (!socket.writable) return;
    const status = statusOf(code);
    const title = titleOf(status, headBytes);
    const { headers, body = '' } = invalidHeaderResponse(status, title);
    const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, `content-length: ${Buffer.byteLength(body)}`];
    endConnection(socket as Socket, `${head.join('\r\n')}\r\n\r\n${body}`);
  };

const titleOf = (status: number, headBytes: number): string => {
  if (status === 431)
    return `The request line and the headers are too large: the limit is ${headBytes.toLocaleString('en')} bytes.`;
  return status === 408 ? 'The request did not arrive in time.' : 'The request is not readable as HTTP.';
};

const statusOf = (code: string | undefined): number => {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === TIMEOUT ? 408 : 400;
};
