import type { Entity } from '#shared/platform/entity.ts';
import { ProblemError, type StaleMember } from '#shared/platform/problem.ts';
import { quote } from '#shared/platform/wire/quote.ts';

/** A strong or weak entity tag (RFC 9110 §8.8.3). */
const ETAG = '(?:W/)?"[\\x21\\x23-\\x7e\\x80-\\xff]*"';
/** Empty elements of a list are ignored (RFC 9110 §5.6.1.2). */
export const ETAG_LIST: RegExp = new RegExp(`^[\\s,]*${ETAG}(?:\\s*,[\\s,]*${ETAG})*[\\s,]*$`);

/** The ETag of a member: its version, then the versions of its expanded relations (CONTRACT §7). */
export const toETag = (version: number, ...related: readonly (number | string)[]): string =>
  `"${[version, ...related].join('-')}"`;

/** Returns the member; throws `precondition-failed` if its ETag violates a precondition of the request. */
export type CheckPreconditions = <T extends Entity>(member: T) => T;

interface Preconditions {
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/**
 * Creates the check of `If-Match` and then `If-None-Match` of a write (RFC 9110 §13.2.2).
 * @throws ProblemError `invalid-header` when a header is malformed
 */
export const createPreconditionCheck = ({ ifMatch, ifNoneMatch }: Preconditions): CheckPreconditions => {
  const checks = [
    ...(ifMatch === undefined ? [] : [createIfMatchCheck(ifMatch)]),
    ...(ifNoneMatch === undefined ? [] : [createIfNoneMatchCheck(ifNoneMatch)]),
  ];
  return (member) => {
    for (const check of checks) check(member);
    return member;
  };
};

/**
 * The comparison ignores a `W/` that a proxy has added, and uses only the first part of an ETag, the member's version,
 * so it also ignores the mark of a proxy.
 */
const createIfMatchCheck = (header: string): ((member: Entity) => void) => {
  if (isAny(header)) return () => {};
  const accepted = requireETags('If-Match', header).map((tag) => tag.slice(1, -1).split('-', 1).join());
  return ({ id, version }) => {
    if (accepted.includes(String(version))) return;
    const since = earlierVersion(accepted, version);
    throw preconditionFailed('If-Match', header, version, since === undefined ? undefined : { id, since, version });
  };
};

const createIfNoneMatchCheck = (header: string): ((member: Entity) => void) => {
  if (!isAny(header)) requireETags('If-None-Match', header);
  return ({ version }) => {
    if (!isNotModified(header, toETag(version))) return;
    throw preconditionFailed('If-None-Match', header, version);
  };
};

const preconditionFailed = (name: string, header: string, version: number, stale?: StaleMember): ProblemError => {
  const etag = toETag(version);
  const detail = `${name} is ${quote(header)}; the resource has ${etag}.`;
  return new ProblemError('precondition-failed', { detail, headers: { etag }, ...(stale && { stale }) });
};

const isAny = (header: string): boolean => header.trim() === '*';

const requireETags = (name: string, header: string): string[] => {
  const tags = parseETags(header);
  if (tags) return tags;
  const detail = `${name} is ${quote(header)}, which is neither * nor a list of entity tags.`;
  throw new ProblemError('invalid-header', { detail });
};

/** The version that the only ETag names, if the member had it before. */
const earlierVersion = ([tag = '', other]: readonly string[], version: number): number | undefined =>
  other === undefined && /^[1-9]\d{0,15}$/.test(tag) && Number(tag) < version ? Number(tag) : undefined;

/** The marks that proxies add to the ETag of a response that they compress (CONTRACT §7). */
const COMPRESSED = /-(?:gzip|br|zstd)"$/;

/**
 * Whether `If-None-Match` (RFC 9110 §13.1.2) contains the current ETag, by weak comparison, with or without the mark of
 * a proxy.
 */
export const isNotModified = (header: string | undefined, current: string): boolean =>
  header !== undefined &&
  (isAny(header) ||
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
