import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayResult } from '#shared/platform/gateway.ts';

/** The answer to a request that reaches no function, in the form of every other refusal (CONTRACT §10). */
export const invalidHeader = (status: number, title: string, detail = title): GatewayResult => {
  const id = randomUUID();
  const problem = { type: '/problems/invalid-header', title, status, detail, code: 'invalid-header', request_id: id };
  return {
    statusCode: status,
    headers: { 'content-type': 'application/problem+json', 'x-request-id': id, connection: 'close' },
    body: JSON.stringify(problem),
  };
};

/** The names of the loopback that a client may ask for. */
const NAMES = ['127.0.0.1', 'localhost'];
/** A browser leaves it out. */
const DEFAULT_PORT = 80;

/**
 * Refuses a request for another host: a web page may have pointed a name of its own at the loopback (DNS rebinding),
 * and the browser would let it read the answers.
 */
export const refuseOtherHost = (host: string | undefined, port: number): GatewayResult | undefined => {
  const own = NAMES.map((name) => `${name}:${port}`);
  const accepted = port === DEFAULT_PORT ? [...own, ...NAMES] : own;
  if (accepted.includes(host?.toLowerCase() ?? '')) return undefined;
  return invalidHeader(421, 'The request is for another host.', `This server answers for ${own.join(' and ')} only.`);
};

/** Answers what is not even HTTP in the form of every other refusal, and ends the connection (CONTRACT §10). */
export const refuseUnreadable = ({ code }: NodeJS.ErrnoException, socket: Duplex): void => {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = statusOf(code);
  const { headers, body = '' } = invalidHeader(status, 'The request is not readable as HTTP.');
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, `content-length: ${Buffer.byteLength(body)}`];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

const statusOf = (code: string | undefined): number => {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
};
