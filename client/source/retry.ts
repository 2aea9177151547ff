import type { InvoicingError } from './error.ts';

/**
 * `Retry-After` (RFC 9110 §10.2.3) in milliseconds. A date is relative to the `Date` of the response, if the response
 * has this header.
 */
export const retryAfterOf = (headers: Headers): number | undefined => {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  return Math.max(0, until - (Date.parse(headers.get('date') ?? '') || Date.now()));
};

/** `Retry-After` plus exponential backoff with full jitter. */
export const delayOf = (attempt: number, retryAfter = 0): number =>
  retryAfter + Math.random() * Math.min(MAX_DELAY_MS, BASE_MS * 2 ** (attempt - 1));

/** Every request may be sent again: it is idempotent, or has a key (CONTRACT §8). */
export const mayRetry = ({ code, status = 0, retryAfter = 0 }: InvoicingError): boolean =>
  retryAfter <= MAX_RETRY_AFTER_MS &&
  (isLost(code) || code === 'request-in-progress' || RETRYABLE_STATUSES.includes(status));

/**
 * Whether a later request can succeed although all retries of this request failed. It cannot after a problem of the
 * service that names a mistake of the request.
 */
export const isTemporary = ({ problem, status = 0 }: InvoicingError): boolean =>
  !problem || status === TOO_MANY || status >= 500;

/** A response that the operation does not declare says nothing about the request, unless its status is an error. */
export const mayHaveSucceeded = ({ code, status = 0 }: InvoicingError): boolean =>
  isLost(code) || status >= 500 || (code === 'unexpected-answer' && status < 400);

/** Rejects with the signal's reason when it is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });

/** Holds back all requests of a client while the account is above its limit. */
export const createPacer = () => {
  let notBefore = 0;
  return {
    async wait(signal: AbortSignal | undefined): Promise<void> {
      // Another request may meet the limit during the pause.
      for (let ms = notBefore - Date.now(); ms > 0; ms = notBefore - Date.now()) await pause(ms, signal);
    },
    observe(headers: Headers): void {
      const isOver = /;r=0;/.test(headers.get('ratelimit') ?? '');
      if (isOver) notBefore = Math.max(notBefore, Date.now() + (retryAfterOf(headers) ?? 0));
    },
  };
};

const BASE_MS = 200;

const MAX_DELAY_MS = 10_000;

/** With a longer `Retry-After`, the client does not retry. */
const MAX_RETRY_AFTER_MS = 60_000;

const TOO_MANY = 429;

/** Temporary errors of the service, or of a gateway in front of it. */
const RETRYABLE_STATUSES = [TOO_MANY, 502, 503, 504];

const isLost = (code: string): boolean => code === 'network-error' || code === 'timeout';
