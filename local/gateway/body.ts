import type { IncomingMessage } from 'node:http';

/** API Gateway's own limit, far above the service's (CONTRACT §10). */
const MOST_BYTES = 10 * 1024 * 1024;
/** How long a body that is too large is still awaited: a client that only sends sees no answer before its end. */
const BODY_TIMEOUT_MS = 2000;

/**
 * Reads a request's body; undefined when it is larger than API Gateway takes. The rest of such a one is read and
 * dropped, as to close the connection on a client that still sends would lose the answer.
 */
export const readBody = (request: IncomingMessage): Promise<Buffer | undefined> =>
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
    if (Number(request.headers['content-length']) > MOST_BYTES) giveUp();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) giveUp();
      if (!isTooLarge) chunks.push(chunk);
    });
    request.once('end', () => resolve(isTooLarge ? undefined : Buffer.concat(chunks)));
    request.once('error', reject);
  });
