import type { ProblemType } from '#shared/platform/problem.ts';

const catalogue = {
  'malformed-json': { status: 400, title: 'The body is not valid JSON.' },
  'malformed-query': { status: 400, title: 'The query string is not validly percent-encoded.' },
  'invalid-cursor': { status: 400, title: 'The cursor was altered or belongs to another list.' },
  'invalid-header': { status: 400, title: 'A header is malformed.' },
  'invalid-idempotency-key': { status: 400, title: 'The Idempotency-Key is not a UUID.' },
  'idempotency-key-required': { status: 400, title: 'This operation requires an Idempotency-Key.' },
  unauthenticated: { status: 401, title: 'The caller could not be authenticated.' },
  'insufficient-scope': { status: 403, title: 'The token does not permit this operation.' },
  'policy-denied': { status: 403, title: 'A rule forbids this operation.' },
  'not-found': { status: 404, title: 'The resource does not exist.' },
  'version-required': { status: 404, title: 'The path must start with a version, such as /v1.' },
  'method-not-allowed': { status: 405, title: 'The path does not support this method.' },
  'request-in-progress': {
    status: 409,
    title: 'A request with this Idempotency-Key is still being processed.',
    retryAfter: 1,
  },
  'invoice-not-cancelable': { status: 409, title: 'The invoice cannot be canceled.' },
  'invoice-has-payments': { status: 409, title: 'The invoice has payments.' },
  'invoice-closed': { status: 422, title: 'The invoice is closed.' },
  'customer-in-use': { status: 409, title: 'The customer has invoices.' },
  'export-not-ready': { status: 409, title: 'The export has no file.' },
  'export-not-cancelable': { status: 409, title: 'The export has already ended.' },
  'delivery-not-retryable': { status: 409, title: 'The delivery cannot be tried again now.' },
  'export-expired': { status: 410, title: 'The file of the export was deleted.' },
  'precondition-failed': { status: 412, title: 'The resource has changed since it was read.' },
  'body-too-large': { status: 413, title: 'The body is larger than 256 KiB.' },
  'unsupported-media-type': { status: 415, title: 'The media type of the body is not supported.' },
  'validation-failed': { status: 422, title: 'The request is not valid.' },
  'idempotency-key-reused': { status: 422, title: 'The Idempotency-Key was used with another body.' },
  'invalid-transition': { status: 422, title: 'The invoice cannot change its status this way.' },
  'invoice-not-payable': { status: 422, title: 'The invoice is not open for payments.' },
  'amount-exceeds-due': { status: 422, title: 'The amount exceeds the amount due.', amounts: ['amount_due_cents'] },
  'amount-exceeds-refundable': {
    status: 422,
    title: 'The amount exceeds what can be refunded.',
    amounts: ['amount_refundable_cents'],
  },
  'total-below-paid': { status: 422, title: 'The total is less than the amount already paid.' },
  'currency-locked': { status: 422, title: 'The currency cannot change: the invoice has payments or items.' },
  'too-many-webhook-endpoints': { status: 422, title: 'The account has too many webhook endpoints.' },
  'too-many-requests': { status: 429, title: 'Too many requests.' },
  'too-many-exports': { status: 429, title: 'The account has too many unfinished exports.', retryAfter: 10 },
  'too-many-rewinds': {
    status: 429,
    title: 'The webhook endpoint was rewound less than a minute ago.',
    retryAfter: 60,
  },
  'internal-error': { status: 500, title: 'The service failed unexpectedly.' },
  unavailable: { status: 503, title: 'The service is temporarily unavailable.', retryAfter: 1 },
} as const satisfies Record<string, ProblemType>;

export type Problems = typeof catalogue;

/** CONTRACT §10. */
export type ProblemCode = keyof Problems;

export const CATALOGUE: Readonly<Record<ProblemCode, ProblemType>> = catalogue;
