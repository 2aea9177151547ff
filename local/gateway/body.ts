import type { IncomingMessage } from 'node:http';

/** API Gateway's limit, far above the service's (CONTRACT §10). */
const MAX_BYTES = 10 * 1024 * 1024;
/**
 * How long the server reads a body that is too large: some clients read no response before they have sent everything.
 */
const BODY_TIMEOUT_MS = 2000;

/**
 * Reads a request's body; undefined if it is larger than API Gateway accepts. It discards the rest of such a body,
 * because a client that is still sending would lose the response if the connection closed.
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
    if (Number(request.headers['content-length']) > MAX_BYTES) giveUp();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) giveUp();
      if (!isTooLarge) chunks.push(chunk);
    });
    request.once('end', () => resolve(isTooLarge ? undefined : Buffer.concat(chunks)));
    request.once('error', reject);
  });
