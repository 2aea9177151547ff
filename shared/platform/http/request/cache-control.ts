/**
 * The header by which a shared cache says that its key holds the token and the normal form of `fields` (§4 Partial
 * responses 5). Whoever sends it falsely gains nothing: without `public` no cache may share what answers an
 * `Authorization` (RFC 9111 §3.5).
 */
export const SHARED_CACHE = 'x-shared-cache';

/** How long a member may be kept, in words for the bearer's own cache (CONTRACT §7). */
export const PRIVATE = 'private, max-age=60';

/** The same for a shared cache of that kind, which would not keep what is `private`; it says `private` to its clients. */
export const SHARED = 'max-age=60';

/** How long whoever asked may keep a member. */
export const memberCache = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> => ({
  'cache-control': headers[SHARED_CACHE] ? SHARED : PRIVATE,
  vary: 'Authorization',
});
