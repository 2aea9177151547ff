/** Every code the service answers a request with (CONTRACT §10). */
export type RefusalCode =
  | 'malformed-json'
  | 'malformed-query'
  | 'invalid-cursor'
  | 'invalid-header'
  | 'invalid-idempotency-key'
  | 'idempotency-key-required'
  | 'unauthenticated'
  | 'insufficient-scope'
  | 'policy-denied'
  | 'not-found'
  | 'version-required'
  | 'method-not-allowed'
  | 'request-in-progress'
  | 'invoice-not-cancelable'
  | 'invoice-has-payments'
  | 'invoice-closed'
  | 'customer-in-use'
  | 'export-not-ready'
  | 'export-not-cancelable'
  | 'export-expired'
  | 'precondition-failed'
  | 'body-too-large'
  | 'unsupported-media-type'
  | 'validation-failed'
  | 'idempotency-key-reused'
  | 'invoice-not-payable'
  | 'amount-exceeds-due'
  | 'amount-exceeds-refundable'
  | 'invalid-transition'
  | 'total-below-paid'
  | 'currency-locked'
  | 'too-many-requests'
  | 'too-many-exports'
  | 'internal-error'
  | 'unavailable';

/** One thing wrong with a request: where (RFC 6901 pointer, parameter or header), a stable code and a sentence. */
export type Violation = ({ pointer: string } | { parameter: string } | { header: string }) & {
  code: string;
  detail: string;
};

export interface Facts {
  /** A sentence for the client; without it the catalogue's title is all that is said. */
  detail?: string;
  /** The v1 name of the body's field that breaks the rule; each version points at its own form of it. */
  field?: string;
  /** The part of an amount that is meant, in versions where an amount has parts. */
  member?: 'currency';
  violations?: readonly Violation[];
  /** Where a code has two statuses: a conflict with the state, not an invalid request. */
  status?: 409;
  /** Members of the problem by their v1 names, such as `amount_due_cents`; amounts come with their `currency`. */
  members?: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the answer, such as `WWW-Authenticate` or the current `ETag`. */
  headers?: Readonly<Record<string, string>>;
}

/** The one way to say no: a stable code with what the client may know about it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly facts: Facts;

  constructor(code: RefusalCode, facts: Facts = {}) {
    super(facts.detail ?? code);
    this.code = code;
    this.facts = facts;
  }
}
