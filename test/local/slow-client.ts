import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Enough bytes that no buffer of a socket takes them all. */
const PIECES = Array<Buffer>(64).fill(Buffer.alloc(256 * 1024, 'a'));

/**
 * Sends the head of a request and a first piece, waits until the server has responded, and then sends a body of 16 MiB
 * before it reads the response.
 * @returns the bytes up to the end of the connection; rejected if the server resets it
 */
export const sendSlowly = async (url: string, head: string, first: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay();
  const failed = once(socket, 'close').then(() =>
    Promise.reject(new Error('The server closed while the client sent.')),
  );
  failed.catch(() => {});
  const write = (bytes: string | Buffer) =>
    Promise.race([new Promise((resolve) => socket.write(bytes, resolve)), failed]);
  await write(head.replaceAll('\n', '\r\n') + first);
  await Promise.race([once(socket, 'readable'), failed]);
  for (const piece of PIECES) await write(piece);
  socket.end();
  return text(socket);
};
