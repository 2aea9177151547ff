/**
 * Returns the URL without slashes at its end.
 * @throws TypeError that states the mistake without the URL, which may contain a password
 */
export const checkBaseUrl = (baseUrl: unknown): string => {
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError(
      'baseUrl must be a URL such as https://api.example.com, without user info, query and fragment.',
    );
  let end = url.pathname.length;
  while (url.pathname[end - 1] === '/') end -= 1;
  const path = url.pathname.slice(0, end);
  if (/\/v\d+$/.test(path)) throw new TypeError('baseUrl must not end in a version: use the option version.');
  return url.origin + path;
};

/** @throws TypeError that states the mistake without the token */
export const checkToken = (token: unknown): string => {
  if (typeof token !== 'string') throw new TypeError(`token must be a string or a function, not ${typeof token}.`);
  if (token === '') throw new TypeError('token must not be empty.');
  // `fetch` rejects the header of a malformed token with an error that contains the token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('token must not contain white space or letters beyond ASCII.');
  return token;
};
