import type { Problem } from './types.ts';

/**
 * Why there is no answer to show, beyond the codes of problems: nothing came back, not in time, or not what a service
 * answers; what was downloaded is not what was made; an export that was waited for came to no file.
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
  /** The HTTP status, where there was an answer. */
  readonly status?: number | undefined;
  /** The whole problem (RFC 9457), where the service sent one. */
  readonly problem?: Problem | undefined;
  /** How long the service asks to wait, in milliseconds. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/** Whatever goes wrong with a request, but for an abort, which rejects with the signal's reason. */
export class InvoicingError extends Error {
  override readonly name = 'InvoicingError';
  /** What went wrong: switch on this. */
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly problem: Problem | undefined;
  readonly retryAfter: number | undefined;
  /** How often the request was sent. */
  readonly attempts: number = 1;
  /** Whether an attempt may have taken effect although its answer was lost. */
  readonly isUnsure: boolean = false;

  constructor(code: ErrorCode, detail: string, { status, problem, retryAfter, cause }: ErrorDetails = {}) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.status = status;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}
