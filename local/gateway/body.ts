import type { IncomingMessage } from 'node:http';

/**
 * How long the server reads a body that is too large: some clients read no response before they have sent everything.
 */
const BODY_TIMEOUT_MS = 2000;

/**
 * Reads a request's body; undefined if it is larger than this limit. It discards the rest of such a body, because a
 * client that is still sending would lose the response if the connection closed.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isTooLarge = false;
    const giveUp = () => {
      if (isTooLarge) return;
      isTooLarge = true;
      chunks.length = 0;
      setTimeout(() => resolve(undefined), BODY_TIMEOUT_MS).unref();
    };
    if (Number(request.headers['content-length']) > maxBytes) giveUp();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) giveUp();
      if (!isTooLarge) chunks.push(chunk);
    });
    request.once('end', () => resolve(isTooLarge ? undefined : Buffer.concat(chunks)));
    request.once('error', reject);
  });
