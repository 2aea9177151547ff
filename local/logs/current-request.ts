import { AsyncLocalStorage } from 'node:async_hooks';

export interface CurrentRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
}

/** The HTTP request during which a function writes its log records. */
export const currentRequest = new AsyncLocalStorage<CurrentRequest>();
