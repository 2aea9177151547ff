/**
 * Returns the URL without slashes at its end.
 * @throws TypeError that states what is wrong
 */
export const checkBaseUrl = (baseUrl: unknown): string => {
  const text = typeof baseUrl === 'string' ? baseUrl.replace(/\/+$/, '') : '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new TypeError(`baseUrl must be a URL such as https://api.example.com, not ${JSON.stringify(baseUrl)}.`);
  if (/\/v\d+$/.test(url.pathname))
    throw new TypeError(
      `baseUrl must not end in a version: use the option version instead of ${JSON.stringify(baseUrl)}.`,
    );
  return text;
};

/** @throws TypeError that states what is wrong, without the token */
export const checkToken = (token: unknown): string => {
  if (typeof token !== 'string') throw new TypeError(`token must be a string or a function, not ${typeof token}.`);
  if (token === '') throw new TypeError('token must not be empty.');
  // `fetch` rejects the header of a malformed token with an error that contains the token.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TypeError('token must not contain white space or letters beyond ASCII.');
  return token;
};
