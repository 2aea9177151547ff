import type { Problem, Violation } from './types.ts';

/**
 * Errors without a problem of the service: no response, no response in time, or a response that the operation does not
 * declare; a download with a wrong checksum; an export without a file; a webhook that cannot be verified.
 */
export type ClientCode =
  | 'network-error'
  | 'timeout'
  | 'unexpected-answer'
  | 'checksum-mismatch'
  | 'export-failed'
  | 'export-canceled'
  | 'invalid-webhook';

export type ErrorCode = Problem['code'] | ClientCode;

/** The request of an error. */
export interface RequestLine {
  readonly method: string;
  /** Without the query: `/v1/invoices/1`, or the download URL of a file. */
  readonly path: string;
}

interface ErrorDetails {
  readonly request?: RequestLine | undefined;
  /** The response's `X-Request-Id`. */
  readonly requestId?: string | undefined;
  /** The HTTP status, if there was a response. */
  readonly status?: number | undefined;
  readonly contentType?: string | undefined;
  /** The complete problem (RFC 9457), if the service sent a problem. */
  readonly problem?: Problem | undefined;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Every error of a call, except an abort, which rejects with the signal's reason, and an argument that cannot be right,
 * which is a TypeError. The message has the code, the detail, the request and its id, and a line for each violation.
 */
export class InvoicingError extends Error {
  override readonly name = 'InvoicingError';
  /** Stable: use it in programs. */
  readonly code: ErrorCode;
  readonly status: number | undefined;
  /** The `Content-Type` of the response, if a response arrived. */
  readonly contentType: string | undefined;
  readonly problem: Problem | undefined;
  /**
   * With `precondition-failed`: the v1 fields that have changed since the version in `ifMatch`, if that version is an
   * earlier one.
   */
  readonly changed: readonly string[] | undefined;
  readonly retryAfter: number | undefined;
  readonly request: RequestLine | undefined;
  /** Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** How many times the request was sent. */
  readonly attempts: number = 1;
  /**
   * Whether a write may have taken effect: the response to an attempt was lost, a 5xx, or came from another program.
   */
  readonly isUnsure: boolean = false;

  constructor(code: ErrorCode, detail: string, details: ErrorDetails = {}) {
    super(messageOf(code, detail, details), { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.contentType = details.contentType;
    this.problem = details.problem;
    this.changed = details.problem?.changed;
    this.retryAfter = details.retryAfter;
    this.request = details.request;
    this.requestId = details.requestId;
  }
}

const messageOf = (code: ErrorCode, detail: string, { problem, request, requestId }: ErrorDetails): string => {
  const context = [request && `${request.method} ${request.path}`, requestId && `request ${requestId}`].filter(Boolean);
  const line = `${code}: ${detail}${context.length > 0 ? ` (${context.join('; ')})` : ''}`;
  return [line, ...(problem?.errors ?? []).map(lineOf)].join('\n');
};

const lineOf = ({ pointer, parameter, header, code, detail }: Violation): string =>
  `  ${pointer ?? parameter ?? header ?? ''} ${code}: ${detail}`;
