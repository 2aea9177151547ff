import type { InvoicingError } from './error.ts';

const BASE_MS = 200;
const MOST_MS = 10_000;
/** A service that asks for more patience than this is not waited for. */
const MOST_ASKED_MS = 60_000;

/** Statuses of a service, or of a gateway before it, that may answer the very same request a little later. */
const PASSING = [429, 502, 503, 504];
const TOO_MANY = 429;

/**
 * The wait that a `Retry-After` asks for, in seconds or until a date (RFC 9110 §10.2.3), in milliseconds.
 * A date is taken by the service's clock, where it says its time.
 */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  return Math.max(0, until - (Date.parse(headers.get('date') ?? '') || Date.now()));
};

/** Full jitter on a doubling span, after whatever the service asks for. */
export const delayOf = (attempt: number, asked = 0): number =>
  asked + Math.random() * Math.min(MOST_MS, BASE_MS * 2 ** (attempt - 1));

/**
 * Whether the same request may be sent again.
 * @param isRepeatable whether sending it twice comes to the same as once; if not, only what was turned away unread
 */
export const mayRetry = ({ code, status, retryAfter = 0 }: InvoicingError, isRepeatable: boolean): boolean => {
  if (retryAfter > MOST_ASKED_MS) return false;
  if (!isRepeatable) return status === TOO_MANY;
  return isLost(code) || code === 'request-in-progress' || PASSING.includes(status as number);
};

/** Whether nobody can tell if a request took effect. */
export const mayHaveSucceeded = ({ code, status = 0 }: InvoicingError): boolean => isLost(code) || status >= 500;

const isLost = (code: string): boolean => code === 'network-error' || code === 'timeout';

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
