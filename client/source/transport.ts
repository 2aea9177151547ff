import { type CallOptions, repeated, within } from './attempt.ts';
import { InvoicingError } from './error.ts';
import { retryAfterOf } from './retry.ts';
import type { Problem, Resources } from './types.ts';

/** The versions of the interface. */
export type Version = keyof Resources;

/** Where the service is, and as whom to ask it. */
export interface ClientOptions<V extends Version = Version> {
  /** Without a version: `https://api.example.com`. */
  readonly baseUrl: string;
  /** An access token, or what gets one; asked before every attempt, so let it keep the token as long as it is valid. */
  readonly token: string | (() => string | Promise<string>);
  /** `v1` without it. */
  readonly version?: V;
  /** The `fetch` to use, by default the global one. */
  readonly fetch?: typeof fetch;
  /** How often a request is sent again at most: 4. */
  readonly retries?: number;
  /** How long one attempt may take, in milliseconds: 20,000. */
  readonly timeout?: number;
}

export interface Sent {
  readonly method: string;
  /** Below the version: `/invoices/1`. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Whether the answer is wanted as it comes, a redirect among them: the body is left to be read. */
  readonly redirect?: 'manual' | 'follow';
}

export interface Answer<T> {
  readonly data: T;
  readonly response: Response;
}

/** Sends a request to the service, again where that is safe. */
export type Send = <T>(sent: Sent, options?: CallOptions) => Promise<Answer<T>>;

/** What a client reaches the world by. */
export interface Transport {
  readonly send: Send;
  /** Asks for what lies elsewhere, without the token; the body is left to be read. */
  open(address: string, options?: CallOptions): Promise<Response>;
}

const RETRIES = 4;
/** A little more than the service takes before it gives up. */
const TIMEOUT_MS = 20_000;

const IDEMPOTENT = ['GET', 'PUT', 'DELETE'];

/** With a key, or with a tag that changes when it takes effect, a request does not take effect twice. */
const isRepeatable = ({ method, headers = {} }: Sent): boolean =>
  IDEMPOTENT.includes(method) || Boolean(headers['idempotency-key'] ?? headers['if-match']);

const addressOf = (base: string, { path, query = {} }: Sent): string => {
  const parameters = new URLSearchParams();
  // A list of names is one parameter, its names joined by commas.
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `${base}${path}?${parameters}` : base + path;
};

const parseBody = (text: string): unknown => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

/** What a gateway answers by itself is no problem of the service. */
const toError = (response: Response, body: unknown): InvoicingError => {
  const { status, headers } = response;
  const facts = { status, retryAfter: retryAfterOf(headers) };
  const isProblem = typeof body === 'object' && body !== null && 'code' in body;
  if (!isProblem) return new InvoicingError('unexpected-answer', `the answer is ${status}`, facts);
  const problem = body as Problem;
  return new InvoicingError(problem.code, problem.detail, { ...facts, problem });
};

/** Reaches the service as the options say. */
export const transport = (options: ClientOptions): Transport => {
  const { baseUrl, token, version = 'v1', retries = RETRIES, timeout = TIMEOUT_MS } = options;
  const base = `${baseUrl.replace(/\/+$/, '')}/${version}`;
  const reach = options.fetch ?? fetch;

  const attempt = async <T>(sent: Sent, call: CallOptions): Promise<Answer<T>> => {
    const { method, body, redirect } = sent;
    const bearer = typeof token === 'string' ? token : await token();
    const headers = new Headers({ authorization: `Bearer ${bearer}` });
    if (body !== undefined) headers.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(sent.headers ?? {})) if (value !== undefined) headers.set(name, value);
    // A browser would show for a minute what it has read once (§8), whatever has become of it by other requests.
    const init: RequestInit = { method, headers, cache: 'no-cache' };
    if (body !== undefined) init.body = JSON.stringify(body);
    return within(timeout, call, async (signal) => {
      const response = await reach(addressOf(base, sent), { ...init, signal, ...(redirect && { redirect }) });
      if (redirect && response.status < 400) return { data: undefined as T, response };
      const data = parseBody(await response.text());
      if (!response.ok) throw toError(response, data);
      return { data: data as T, response };
    });
  };

  const open = (address: string, call: CallOptions) =>
    within(timeout, call, async (signal) => {
      const response = await reach(new URL(address, base), { signal });
      if (response.ok) return response;
      await response.body?.cancel();
      throw toError(response, undefined);
    });

  return {
    send: (sent, call = {}) => repeated(retries, isRepeatable(sent), call, () => attempt(sent, call)),
    open: (address, call = {}) => repeated(retries, true, call, () => open(address, call)),
  };
};
