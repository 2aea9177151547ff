import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { invalidHeader } from './problem.ts';

const statusOf = (code: string | undefined): number => {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
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
