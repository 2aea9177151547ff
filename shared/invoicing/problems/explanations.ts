import type { Explanation } from '#shared/platform/problem.ts';
import type { ProblemCode } from './catalogue.ts';

const explanations = {
  // Errors of a request itself, or of the service.
  'malformed-json': {
    meaning: 'The body could not be read as JSON.',
    cause: 'It is empty, cut short, not valid JSON, or not UTF-8.',
    remedy: 'Send one JSON object in UTF-8. A request of this form never succeeds: do not retry it as it is.',
  },
  'malformed-query': {
    meaning: 'The query string could not be decoded.',
    cause: 'A % in it is not followed by two hexadecimal digits, or the bytes are not UTF-8.',
    remedy: 'Encode each value with encodeURIComponent or what your language calls it.',
  },
  'invalid-cursor': {
    meaning: 'The cursor in “after” is none that this list has given out.',
    cause: 'It was altered, or comes from another version, collection, filter, order or account.',
    remedy:
      'Pass next_cursor back unchanged, with the same filter and order; to change those, begin at the first page.',
  },
  'invalid-header': {
    meaning: 'A header does not have the form that it should.',
    cause: 'Mostly an If-Match whose tag lacks its quotation marks.',
    remedy: 'Send the ETag exactly as it was received, quotation marks included: If-Match: "3".',
  },
  'invalid-idempotency-key': {
    meaning: 'The Idempotency-Key is not a UUID.',
    cause: 'Keys are UUIDs, bare or in quotation marks.',
    remedy: 'Make a random UUID for each logical operation, and send the same one with each retry of it.',
  },
  'idempotency-key-required': {
    meaning: 'This operation moves money, and is refused without an Idempotency-Key.',
    cause: 'The header is missing.',
    remedy: 'Make a random UUID before the first attempt, keep it, and send it with each retry.',
  },
  unauthenticated: {
    meaning: 'It is not known who asks.',
    cause: 'The access token is missing, has expired, is not for this service, or names no subject or no account.',
    remedy:
      'Get a new token and send it as “Authorization: Bearer <token>”. WWW-Authenticate says what is wrong with it.',
  },
  'insufficient-scope': {
    meaning: 'The token is valid, and does not permit this operation.',
    cause:
      'A scope is missing from its scope claim, or its role does not grant it. “expand” needs the scope to read what it embeds.',
    remedy: 'Ask for a token with the scope that WWW-Authenticate names.',
  },
  'not-found': {
    meaning: 'There is no such resource, or it is not your account’s: the answer does not tell which.',
    cause: 'The path or an id in it is wrong, it was deleted, or a body names a resource that is not there.',
    remedy:
      'Check the id and the account of the token. After a DELETE whose answer was lost, it means that it is gone.',
  },
  'version-required': {
    meaning: 'The path needs a version, and there is no default.',
    cause: 'It begins with no version, or with one that does not exist.',
    remedy: 'Put /v1 or /v2 in front of the path.',
  },
  'method-not-allowed': {
    meaning: 'The path is right, and takes other methods.',
    cause: 'Payments and refunds, for example, can be neither changed nor deleted.',
    remedy: 'Use one of the methods that the header Allow names.',
  },
  'request-in-progress': {
    meaning: 'Another request with this Idempotency-Key is being processed at this moment.',
    cause: 'A retry was sent before the first attempt was answered, and waiting for it took too long.',
    remedy:
      'Wait as long as Retry-After says and send the same again, with the same key: it gets the answer of the first.',
  },
  'precondition-failed': {
    meaning: 'The resource is not in the state any more that If-Match names. Nothing was changed.',
    cause: 'Somebody else has changed it since it was read.',
    remedy: 'Read it again, put your change on top of what it is now, and send that with the new ETag.',
  },
  'body-too-large': {
    meaning: 'The body is larger than 256 KiB.',
    cause: 'No resource needs as much.',
    remedy: 'Send less: several requests, or shorter texts.',
  },
  'unsupported-media-type': {
    meaning: 'The body is of a type that is not read here.',
    cause:
      'Content-Type is missing, is not JSON, or names another charset than UTF-8; or the body has a Content-Encoding.',
    remedy:
      'Send “Content-Type: application/json”, for a PATCH also application/merge-patch+json, and no Content-Encoding.',
  },
  'validation-failed': {
    meaning:
      'The request could be read, and something in it is not valid. “errors” names everything at once, with its place.',
    cause: 'A field or parameter is unknown, missing, of another type, out of range, or given twice.',
    remedy: 'Mend each place that “errors” points at: a pointer into the body, a parameter or a header.',
  },
  'idempotency-key-reused': {
    meaning: 'The Idempotency-Key belongs to a request with another body. Nothing was done.',
    cause: 'One key was used for two different operations within its window.',
    remedy: 'A new key for a new operation. To repeat the first one, send exactly its body.',
  },
  'too-many-requests': {
    meaning: 'More requests came than are taken at once.',
    cause: 'The gateway’s limit of requests per second was reached.',
    remedy: 'Send fewer, and retry with growing, random pauses. On AWS the gateway itself answers so, in its own form.',
  },
  'internal-error': {
    meaning: 'Something went wrong on our side.',
    cause: 'A fault of the service. It has been recorded under the request_id.',
    remedy: 'Retry with the same Idempotency-Key. If it goes on, report the request_id.',
  },
  unavailable: {
    meaning: 'The service could not do it in time. A write may or may not have taken effect.',
    cause: 'Many requests for the same invoice or customer at once, or something that the service needs is away.',
    remedy: 'Wait as long as Retry-After says and send the same again: with the same Idempotency-Key, or If-Match.',
  },

  // Errors of the state of a resource, or of a rule.
  'policy-denied': {
    meaning: 'The caller has the scope, and yet a rule forbids this very act. “rule” names it.',
    cause:
      'A clerk pays or settles more than the clerk’s limit, a payment is refunded by the subject that created it, or the payment is too old to be refunded.',
    remedy: 'Have somebody do it whose role may. A retry of the same caller is refused again.',
  },
  'invoice-not-cancelable': {
    meaning: 'The invoice can no longer be canceled.',
    cause: 'It is paid, or has payments.',
    remedy: 'Refund the payments instead.',
  },
  'invoice-has-payments': {
    meaning: 'What was asked is not possible while the invoice has payments.',
    cause: 'An invoice with payments cannot be deleted, and its items cannot change.',
    remedy: 'Payments stay for good. Create another invoice for what differs.',
  },
  'invoice-closed': {
    meaning: 'The invoice is paid or canceled, and stays as it is.',
    cause: 'A change of it or of its items, or the deletion of one that was settled.',
    remedy: 'Nothing of it can change any more. Create another invoice for what is to be charged still.',
  },
  'customer-in-use': {
    meaning: 'The customer cannot be deleted.',
    cause: 'At least one invoice names the customer.',
    remedy: 'Delete those invoices, or give them another customer_id, and then the customer.',
  },
  'invalid-transition': {
    meaning: 'The invoice cannot go from its status to this one.',
    cause:
      'draft becomes open, open becomes paid; canceled is reached by POST …/cancel alone, and there is no way back.',
    remedy: 'Read the invoice again: its status may not be what you take it for.',
  },
  'invoice-not-payable': {
    meaning: 'Only an open invoice takes payments.',
    cause: 'It is a draft, paid already, or canceled.',
    remedy: 'Open a draft by a PATCH of its status. For the others there is nothing to pay.',
  },
  'amount-exceeds-due': {
    meaning: 'The payment is larger than what is due. The problem says how much that is.',
    cause: 'Another payment may have come in before.',
    remedy: 'Pay at most what is due. The key may be used again: nothing is kept of a refusal.',
    amounts: { amount_due_cents: 'what is left to pay' },
  },
  'amount-exceeds-refundable': {
    meaning: 'The refund is larger than what is left of the payment. The problem says how much that is.',
    cause: 'A part of the payment has been refunded before.',
    remedy: 'Refund at most what is left, or leave the amount out to refund all of that.',
    amounts: { amount_refundable_cents: 'what is left to refund' },
  },
  'total-below-paid': {
    meaning: 'The total would be less than what has been paid already.',
    cause: 'A change of the total, after payments.',
    remedy: 'Refund what is too much: a total stays at least what was paid.',
  },
  'currency-locked': {
    meaning: 'The currency of the invoice cannot change.',
    cause: 'The invoice has payments or items, and these are in its currency.',
    remedy: 'Create another invoice in the other currency.',
  },
  'too-many-exports': {
    meaning: 'The account has as many unfinished exports as it may have at one time.',
    cause: 'An account can have 20 exports that are pending or running.',
    remedy:
      'Wait until one is completed, or cancel one, then send the same request again. Retry-After says when to try next.',
  },
  'export-not-ready': {
    meaning: 'The export has no file to be had, not yet or not at all.',
    cause: 'It is pending or running, or it was canceled or has failed.',
    remedy:
      'Read the export until its status is completed, each time as long as Retry-After says; if it failed, “error” says why.',
  },
  'export-not-cancelable': {
    meaning: 'The export is over already.',
    cause: 'It is completed, or has failed.',
    remedy: 'Leave it: its file goes away by itself.',
  },
  'export-expired': {
    meaning: 'The file was there, and is gone.',
    cause: 'Files are kept for 7 days; “expires_at” of the export says until when.',
    remedy: 'Create another export.',
  },
} as const satisfies Readonly<Record<ProblemCode, Explanation>>;

/**
 * Every code explained (CONTRACT §10). Apart from the catalogue, because only the problem pages and the OpenAPI document
 * load these texts: in the catalogue they would be 10 KB of every bundle.
 */
export const EXPLANATIONS: Readonly<Record<ProblemCode, Explanation>> = explanations;

type AmountsOf<E> = E extends { readonly amounts: infer Amounts } ? keyof Amounts : never;

/** The amounts that problems hold, by their v1 names. */
export type ProblemAmount = AmountsOf<(typeof explanations)[ProblemCode]>;
