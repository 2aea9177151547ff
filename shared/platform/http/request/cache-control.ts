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
