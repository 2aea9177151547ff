import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { isNotModified } from './caching.ts';
import { type Documented, type PublicInput, type PublicOperation, publicEndpoint } from './endpoint.ts';
import { contentReply, type PublicReply } from './reply.ts';

export const contentHash = (bytes: Buffer): string => hash('sha256', bytes, 'hex').slice(0, 16);

interface FileDeclaration extends Documented {
  readonly route: string;
  /** The content of the file is in infra/build/static-files.ts. */
  readonly file: string;
  readonly contentType: string;
  /** The JSON type of the content. */
  readonly type: 'object' | 'string';
}

/** Declares an endpoint that sends a file which each deployment can change. */
export const fileEndpoint = ({ file, contentType, type, ...documented }: FileDeclaration): PublicOperation =>
  publicEndpoint({
    ...documented,
    produces: { [contentType.split(';', 1).join()]: { type } },
    files: [file],
    handle: async (input, { read }) =>
      fileReply(input, await read(file), { 'content-type': contentType, 'cache-control': 'no-cache' }),
  });

/** Sends a file, compressed if the client accepts gzip, or 304 if the client has it (RFC 9110 §13.1.2). */
export const fileReply = (
  { headers: sent }: Pick<PublicInput, 'headers'>,
  gzipped: Buffer,
  extraHeaders: Readonly<Record<string, string>>,
): PublicReply => {
  const isCompressed = acceptsGzip({ headers: sent });
  // A strong ETag identifies a sequence of bytes, so the compressed file needs another ETag.
  const etag = `"${contentHash(gzipped)}${isCompressed ? '-gzip' : ''}"`;
  const headers = { etag, vary: 'Accept-Encoding', 'x-content-type-options': 'nosniff', ...extraHeaders };
  if (isNotModified(sent['if-none-match'], etag)) return { status: 304, headers };
  if (isCompressed) return contentReply(gzipped, { ...headers, 'content-encoding': 'gzip' });
  return contentReply(gunzipSync(gzipped).toString(), headers);
};

const acceptsGzip = ({ headers }: Pick<PublicInput, 'headers'>): boolean =>
  /\b(gzip|\*)(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? '');
