import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

/** A strong or weak entity tag (RFC 9110 §8.8.3). */
const ETAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/** Empty elements of a list are ignored (RFC 9110 §5.6.1.2). */
const ETAG_LIST = new RegExp(`^[\\s,]*${ETAG}(?:\\s*,[\\s,]*${ETAG})*[\\s,]*$`);

/** The ETag of a member: its version, then those of its expanded relations (CONTRACT §7). */
export const toETag = (version: number, ...related: readonly (number | string)[]): string =>
  `"${[version, ...related].join('-')}"`;

/**
 * Creates the check of `If-Match` (RFC 9110 §13.1.1). It ignores a `W/` that a proxy has added, and compares only the
 * first part of an ETag, which is the member's version, so it also ignores the mark of a proxy.
 * @throws ProblemError `invalid-header` when the header is malformed
 */
export const createIfMatchCheck = (header: string | undefined): (<T extends Entity>(member: T) => T) => {
  if (header === undefined || header.trim() === '*') return (member) => member;
  const accepted = parseETags(header)?.map((tag) => tag.slice(1, -1).split('-', 1).join());
  if (!accepted) {
    const detail = `If-Match is ${quote(header)}, which is neither * nor a list of entity tags.`;
    throw new ProblemError('invalid-header', { detail });
  }
  return (member) => {
    if (accepted.includes(String(member.version))) return member;
    const { id, version } = member;
    const detail = `If-Match is ${quote(header)}; the resource has ${toETag(version)}.`;
    const since = earlierVersion(accepted, version);
    throw new ProblemError('precondition-failed', { detail, version, ...(since && { stale: { id, since, version } }) });
  };
};

/** The version that the only ETag names, if the member had it before. */
const earlierVersion = ([tag = '', other]: readonly string[], version: number): number | undefined =>
  other === undefined && /^[1-9]\d{0,15}$/.test(tag) && Number(tag) < version ? Number(tag) : undefined;

/** The marks that proxies add to the ETag of a response that they compress (CONTRACT §7). */
const COMPRESSED = /-(?:gzip|br|zstd)"$/;

/** Whether `If-None-Match` (RFC 9110 §13.1.2) contains the current ETag, by weak comparison, with or without such a mark. */
export const isNotModified = (header: string | undefined, current: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' ||
    (parseETags(header)?.some((tag) => tag === current || tag.replace(COMPRESSED, '"') === current) ?? false));

const parseETags = (header: string): string[] | undefined =>
  ETAG_LIST.test(header)
    ? (header.match(new RegExp(ETAG, 'g')) ?? []).map((tag) => tag.replace(/^W\//, ''))
    : undefined;

/**
 * A shared cache sends this header when its key contains the token and the normal form of `fields`
 * (§4 Partial responses 5). A false header has no effect: without `public`, no cache may share the response to a
 * request with `Authorization` (RFC 9111 §3.5).
 */
export const SHARED_CACHE = 'x-shared-cache';

/** For the client's own cache (CONTRACT §7). */
export const PRIVATE = 'private, max-age=60';

/** For a declared shared cache, which would not store a `private` response; it sends `private` to its clients. */
export const SHARED = 'max-age=60';

export const cacheHeaders = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> => ({
  'cache-control': headers[SHARED_CACHE] ? SHARED : PRIVATE,
  vary: 'Authorization',
});
