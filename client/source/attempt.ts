import { InvoicingError } from './error.ts';
import { delayOf, mayHaveSucceeded, mayRetry, pause } from './retry.ts';

/** What any call can be given beyond its subject. */
export interface CallOptions {
  /** Ends the call, and rejects it with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs something that takes an abort signal for so long at most.
 * @throws InvoicingError `timeout` or `network-error`; the reason of the caller's own signal
 */
export const within = async <T>(
  milliseconds: number,
  { signal }: CallOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), milliseconds);
  try {
    return await work(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof InvoicingError) throw cause;
    if (late.signal.aborted) throw new InvoicingError('timeout', `no answer in ${milliseconds} ms`, { cause });
    throw new InvoicingError('network-error', (cause as Error).message, { cause });
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Runs something again while it fails in a way that may pass.
 * @throws InvoicingError of the last attempt, which tells of them all
 */
export const repeated = async <T>(
  retries: number,
  isRepeatable: boolean,
  { signal }: CallOptions,
  work: () => Promise<T>,
): Promise<T> => {
  let isUnsure = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof InvoicingError)) throw error;
      isUnsure ||= mayHaveSucceeded(error);
      Object.assign(error, { attempts, isUnsure });
      if (attempts > retries || !mayRetry(error, isRepeatable)) throw error;
      await pause(delayOf(attempts, error.retryAfter), signal);
    }
  }
};
