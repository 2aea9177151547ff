import type { IncomingMessage } from 'node:http';

/**
 * Reads a request's body; undefined if it is larger than this limit. The rest of such a body is discarded as it arrives,
 * because a client that is still sending would lose the response if the connection closed.
 */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = Number(request.headers['content-length'] ?? 0) > maxBytes ? Number.POSITIVE_INFINITY : 0;
    const keep = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(undefined);
    };
    if (bytes > maxBytes) resolve(undefined);
    request.on('data', keep);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
