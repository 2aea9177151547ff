import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { PublicInput } from '#shared/platform/endpoint.ts';
import { content, type PublicReply } from './reply.ts';
import { isNotModified } from './request/conditional.ts';

const takesGzip = ({ headers }: Pick<PublicInput, 'headers'>): boolean =>
  /\b(gzip|\*)(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers['accept-encoding'] ?? '');

/** The tag of a file's content: another content has another one. */
export const contentTag = (bytes: Buffer): string => hash('sha256', bytes, 'hex').slice(0, 16);

/**
 * Answers with a file's content, packed for whoever takes that, and 304 to whoever has it (RFC 9110 §13.1.2).
 * @param packed gzip
 */
export const file = (
  { headers: sent }: Pick<PublicInput, 'headers'>,
  packed: Buffer,
  said: Readonly<Record<string, string>>,
): PublicReply => {
  const isPacked = takesGzip({ headers: sent });
  // One strong tag stands for one sequence of bytes, and gzip makes another one.
  const etag = `"${contentTag(packed)}${isPacked ? '-gzip' : ''}"`;
  const headers = { etag, vary: 'Accept-Encoding', 'x-content-type-options': 'nosniff', ...said };
  if (isNotModified(sent['if-none-match'], etag)) return { status: 304, headers };
  if (isPacked) return content(packed, { ...headers, 'content-encoding': 'gzip' });
  return content(gunzipSync(packed).toString(), headers);
};
