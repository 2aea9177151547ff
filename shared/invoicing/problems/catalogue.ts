import type { ProblemType } from '#shared/platform/problem.ts';

/** What each code means to a client: its status and title. */
const catalogue = {
  'malformed-json': { status: 400, title: 'The body is not valid JSON.' },
  'malformed-query': { status: 400, title: 'The query string is not validly percent-encoded.' },
  'invalid-cursor': { status: 400, title: 'The cursor was altered or belongs to another list.' },
  'invalid-header': { status: 400, title: 'A header is malformed.' },
  'invalid-idempotency-key': { status: 400, title: 'The Idempotency-Key is not a UUID.' },
  'idempotency-key-required': { status: 400, title: 'This operation needs an Idempotency-Key.' },
  unauthenticated: { status: 401, title: 'A valid access token is needed.' },
  'insufficient-scope': { status: 403, title: 'The token does not permit this operation.' },
  'policy-denied': { status: 403, title: 'A rule forbids this operation to this caller.' },
  'not-found': { status: 404, title: 'There is no such resource.' },
  'version-required': { status: 404, title: 'The path needs a version prefix, such as /v1.' },
  'method-not-allowed': { status: 405, title: 'The resource does not support this method.' },
  'request-in-progress': {
    status: 409,
    title: 'A request with this Idempotency-Key is being processed.',
    retryAfter: 1,
  },
  'invoice-not-cancelable': { status: 409, title: 'The invoice cannot be canceled.' },
  'invoice-has-payments': { status: 409, title: 'The invoice has payments.' },
  'invoice-closed': { status: 422, title: 'The invoice is closed.' },
  'customer-in-use': { status: 409, title: 'An invoice names the customer.' },
  'export-not-ready': { status: 409, title: 'The export has no file, or none yet.' },
  'export-not-cancelable': { status: 409, title: 'The export has ended.' },
  'export-expired': { status: 410, title: 'The file of the export has been removed.' },
  'precondition-failed': { status: 412, title: 'The resource has changed since it was read.' },
  'body-too-large': { status: 413, title: 'The body is larger than 256 KiB.' },
  'unsupported-media-type': { status: 415, title: 'The media type of the body is not supported.' },
  'validation-failed': { status: 422, title: 'The request is not valid.' },
  'idempotency-key-reused': { status: 422, title: 'The Idempotency-Key was used for another request.' },
  'invalid-transition': { status: 422, title: 'The invoice cannot change its status this way.' },
  'invoice-not-payable': { status: 422, title: 'Only an open invoice takes a payment.' },
  'amount-exceeds-due': { status: 422, title: 'The amount is above what is due.' },
  'amount-exceeds-refundable': { status: 422, title: 'The amount is above what is left to refund.' },
  'total-below-paid': { status: 422, title: 'The total is below what is already paid.' },
  'currency-locked': { status: 422, title: 'The currency cannot change once there are payments or items.' },
  'too-many-requests': { status: 429, title: 'Too many requests.' },
  'too-many-exports': { status: 429, title: 'The account has too many unfinished exports.', retryAfter: 10 },
  'internal-error': { status: 500, title: 'Something went wrong on our side.' },
  unavailable: { status: 503, title: 'The service is busy; try again.', retryAfter: 1 },
} satisfies Record<string, ProblemType>;

/** Every code of a problem (CONTRACT §10). */
export type ProblemCode = keyof typeof catalogue;

export const CATALOGUE: Readonly<Record<ProblemCode, ProblemType>> = catalogue;
