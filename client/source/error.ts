import type { Problem } from './types.ts';

/**
 * Errors without a problem of the service: no response, no response in time, or a response that is not a problem
 * document; a download with a wrong checksum; an export without a file.
 */
export type ClientCode =
  | 'network-error'
  | 'timeout'
  | 'unexpected-answer'
  | 'checksum-mismatch'
  | 'export-failed'
  | 'export-canceled';

export type ErrorCode = Problem['code'] | ClientCode;

interface ErrorDetails {
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined;
  /** The complete problem (RFC 9457), if the service sent one. */
  readonly problem?: Problem | undefined;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Every error of a call, except an abort, which rejects with the signal's reason. */
export class InvoicingError extends Error {
  override readonly name = 'InvoicingError';
  /** Stable: use it in programs. */
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  readonly retryAfter: number | undefined;
  /** How many times the request was sent. */
  readonly attempts: number = 1;
  /** Whether an attempt may have taken effect although its response was lost. */
  readonly isUnsure: boolean = false;

  constructor(code: ErrorCode, detail: string, { status, problem, retryAfter, cause }: ErrorDetails = {}) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}
