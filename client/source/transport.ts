import { type Declared, readAnswer, unexpectedAnswer } from './answer.ts';
import { type CallOptions, withRetries, withTimeout } from './attempt.ts';
import { checkBaseUrl, checkToken } from './options.ts';
import { createPacer } from './retry.ts';
import type { Resources } from './types.ts';

export type Version = keyof Resources;

export interface ClientOptions<V extends Version = Version> {
  /** Without the version: `https://api.example.com`, or `https://example.com/billing` behind a proxy that adds a path. */
  readonly baseUrl: string;
  /**
   * A token, or a function that returns a token. The client calls the function before every attempt, so cache the token
   * until it expires. After a 401, the client calls the function with true, and it must return a new token.
   */
  readonly token: string | ((isRefused: boolean) => string | Promise<string>);
  /** Default: `v1`. */
  readonly version?: V;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The maximum number of retries. Default: 4. */
  readonly retries?: number;
  /** The timeout of one attempt, in milliseconds. Default: 20,000. */
  readonly timeout?: number;
}

export interface RequestParts extends Declared {
  readonly method: string;
  /** Below the version: `/invoices/1`. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Follows redirects, and returns the response to the last request unread. */
  readonly redirect?: 'follow';
}

export interface Result<T> {
  readonly data: T;
  readonly response: Response;
}

/** Sends a request to the service, and retries it if a retry is safe. */
export type Send = <T>(request: RequestParts, options?: CallOptions) => Promise<Result<T>>;

export interface Transport {
  readonly send: Send;
  /** Fetches another URL, without the token, and returns the response unread. */
  open(url: string, options?: CallOptions): Promise<Response>;
}

/** @throws TypeError when `baseUrl` or `token` cannot be right */
export const createTransport = (options: ClientOptions): Transport => {
  const { token, version = 'v1', retries = RETRIES, timeout = TIMEOUT_MS, fetch: fetchUrl = fetch } = options;
  const base = `${checkBaseUrl(options.baseUrl)}/${version}`;
  if (typeof token !== 'function') checkToken(token);
  const pacer = createPacer();

  const attempt = async <T>(request: RequestParts, call: CallOptions, isRefused: boolean): Promise<Result<T>> => {
    await pacer.wait(call.signal);
    const init = toRequestInit(request, typeof token === 'function' ? checkToken(await token(isRefused)) : token);
    const line = { method: request.method, path: `/${version}${request.path}` };
    return withTimeout(timeout, line, call, async (signal) => {
      const response = await fetchUrl(urlOf(base, request), { ...init, signal });
      pacer.observe(response.headers);
      const data = request.redirect && response.ok ? undefined : await readAnswer(request, line, response);
      return { data: data as T, response };
    });
  };

  const open = async (location: string, call: CallOptions) => {
    const url = new URL(location, base);
    // The query contains the signature.
    const line = { method: 'GET', path: url.origin + url.pathname };
    return withTimeout(timeout, line, call, async (signal) => {
      const response = await fetchUrl(url, { signal });
      if (response.ok) return response;
      await response.body?.cancel();
      throw unexpectedAnswer(line, response, 'a file');
    });
  };

  return {
    send: (request, call = {}) => {
      const policy = { retries, isWrite: isWrite(request), renewsToken: typeof token === 'function' };
      return withRetries(policy, call, (isRefused) => attempt(request, call, isRefused));
    },
    open: (url, call = {}) => withRetries({ retries, isWrite: false, renewsToken: false }, call, () => open(url, call)),
  };
};

const RETRIES = 4;

/** Longer than the 15 seconds after which the service responds with 503. */
const TIMEOUT_MS = 20_000;

const isWrite = ({ method, query = {} }: RequestParts): boolean =>
  method !== 'GET' && !('dry_run' in query && query.dry_run);

const toRequestInit = ({ method, body, headers = {}, redirect }: RequestParts, token: string): RequestInit => {
  const sent = new Headers({ authorization: `Bearer ${token}` });
  if (body !== undefined) sent.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) sent.set(name, value);
  // A browser's cache would return the resource of up to a minute ago (CONTRACT §7), without the changes since then.
  const init: RequestInit = { method, headers: sent, cache: 'no-cache', redirect: redirect ?? 'manual' };
  if (body !== undefined) init.body = JSON.stringify(body);
  return init;
};

const urlOf = (base: string, { path, query = {} }: RequestParts): string => {
  const parameters = new URLSearchParams();
  // `String` joins a list of names with commas.
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `${base}${path}?${parameters}` : base + path;
};
