import { InvoicingError, type RequestLine } from './error.ts';
import { delayOf, mayHaveSucceeded, mayRetry, pause } from './retry.ts';

export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Aborts the work after some time.
 * @throws InvoicingError `timeout` or `network-error`; the reason of the caller's signal
 */
export const withTimeout = async <T>(
  milliseconds: number,
  request: RequestLine,
  { signal }: CallOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), milliseconds);
  try {
    return await work(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof InvoicingError) throw cause;
    if (timeout.signal.aborted)
      throw new InvoicingError('timeout', `no response in ${milliseconds} ms`, { request, cause });
    throw new InvoicingError('network-error', reasonOf(cause as Error), { request, cause });
  } finally {
    clearTimeout(timer);
  }
};

/** Node's `fetch failed` has the reason as its cause. */
const reasonOf = ({ message, cause }: Error): string =>
  cause instanceof Error && cause.message ? `${message}, ${cause.message}` : message;

export interface RetryPolicy {
  /** The maximum number of retries. */
  readonly retries: number;
  /** Whether an attempt can have an effect. */
  readonly isWrite: boolean;
  /** Whether another attempt can have another token. */
  readonly renewsToken: boolean;
}

/**
 * Repeats the work while it fails with an error that can be retried.
 * @param work called with true after a 401, which is retried once
 * @throws InvoicingError of the last attempt, with `attempts` and `isUnsure` of all attempts
 */
export const withRetries = async <T>(
  { retries, isWrite, renewsToken }: RetryPolicy,
  { signal }: CallOptions,
  work: (isRefused: boolean) => Promise<T>,
): Promise<T> => {
  let isUnsure = false;
  let mayRenew = renewsToken;
  for (let attempts = 1, isRefused = false; ; attempts += 1) {
    try {
      return await work(isRefused);
    } catch (error) {
      if (!(error instanceof InvoicingError)) throw error;
      isUnsure ||= isWrite && mayHaveSucceeded(error);
      Object.assign(error, { attempts, isUnsure });
      isRefused = mayRenew && error.status === UNAUTHENTICATED;
      if (attempts > retries || !(isRefused || mayRetry(error))) throw error;
      mayRenew &&= !isRefused;
      await pause(delayOf(attempts, error.retryAfter), signal);
    }
  }
};

const UNAUTHENTICATED = 401;
