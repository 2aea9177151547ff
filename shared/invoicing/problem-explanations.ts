import type { Explanations } from '#shared/platform/problem.ts';

/**
 * Meaning, cause and remedy of every code (CONTRACT §10). Separate from the catalogue, because only the problem pages and
 * the OpenAPI document load these texts: in the catalogue they would add 10 KB to every bundle.
 */
export const EXPLANATIONS: Explanations = {
  // Errors of the request itself, or of the service.
  'malformed-json': {
    meaning: 'The service could not read the body as JSON.',
    cause: 'The body is empty, truncated, not valid JSON, or not valid UTF-8. `detail` states the line and the column.',
    remedy: 'Send one JSON object in UTF-8. Do not retry the request unchanged: it will fail again.',
  },
  'malformed-query': {
    meaning: 'The service could not decode the query string.',
    cause: 'A % in the query is not followed by two hexadecimal digits, or the decoded bytes are not valid UTF-8.',
    remedy: 'Percent-encode each value, for example with encodeURIComponent. Write % as %25 and + as %2B.',
  },
  'invalid-cursor': {
    meaning: 'The value of `after` is not a cursor of this list.',
    cause: 'The cursor was changed, or another version, collection, filter, order or account issued it.',
    remedy:
      'Send `next_cursor` unchanged as `after`, with the same filters and the same `sort`. To change these, start again at the first page, without `after`.',
  },
  'invalid-header': {
    meaning: 'A request header has an invalid format. `detail` names the header and its value.',
    cause: 'In most cases, the quotation marks around the ETag in If-Match are missing.',
    remedy: 'Send the ETag exactly as you received it, with the quotation marks: If-Match: "3".',
  },
  'invalid-idempotency-key': {
    meaning: 'The value of the Idempotency-Key header is malformed. Nothing was changed.',
    cause:
      'A key has 1 to 255 visible ASCII characters, or is a Structured Field string in quotation marks. The nil and the max ' +
      'UUID are refused, because variables that nobody has set have them.',
    remedy: 'Create a random UUID for each operation, and send it with each retry of that operation.',
  },
  'idempotency-key-required': {
    meaning: 'This operation requires the Idempotency-Key header. Nothing was changed.',
    cause: 'The request has no Idempotency-Key. A POST that moves money requires one, because a retry could pay twice.',
    remedy: 'Create a random UUID before the first attempt, store it, and send it with each retry.',
  },
  unauthenticated: {
    meaning: 'The service could not authenticate the caller.',
    cause: 'The token is missing, expired, for another service, or has no valid subject or account: see `detail`.',
    remedy: 'Get a new token and send it in the header `Authorization: Bearer <token>`.',
  },
  'insufficient-scope': {
    meaning: 'The token is valid but does not permit this operation.',
    cause:
      'The scope claim or the role of the token does not grant the required scope; a token with both needs it in both. `expand=customer` also requires customers:read. An export also requires the read scope of the exported type.',
    remedy: 'Get a token with the scope that the WWW-Authenticate header names.',
  },
  'not-found': {
    meaning: 'The resource does not exist, or it belongs to another account. The response is the same for both.',
    cause:
      'The path or an id in it is wrong, the resource was deleted, or an id in the body names no resource of your account. In the last case, `detail` names the field.',
    remedy:
      'Check the id, and the account of the token. When you repeat a DELETE whose response was lost, 404 means that the resource is deleted.',
  },
  'version-required': {
    meaning: 'The path has no version, or an unknown one. There is no default version.',
    cause: 'The path does not start with /v1 or /v2. With one of them, it would exist.',
    remedy: 'Add /v1 or /v2 to the start of the path: /v1/invoices.',
  },
  'method-not-allowed': {
    meaning: 'The path exists but does not support this method.',
    cause: 'For example, payments and refunds cannot be changed or deleted.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  'request-in-progress': {
    meaning: 'Another request with this Idempotency-Key is still being processed.',
    cause: 'The request was retried before the first attempt was complete.',
    remedy: 'Wait Retry-After seconds, then send the same request with the same key: you get the first response.',
  },
  'precondition-failed': {
    meaning: 'The resource has changed since you read it. Nothing was changed by this request.',
    cause: 'If-Match has an ETag that is not the current one. Another request has changed the resource.',
    remedy:
      'Read the resource again, apply your change to the new state, and send it with the new ETag. The current ETag is in the ETag header of this response. `changed` names the fields that have changed since your version: if you change none of them, you can send the same change with the new ETag.',
  },
  'body-too-large': {
    meaning: 'The body is larger than 256 KiB.',
    cause: 'The limit is 262,144 bytes for every request. `detail` states the size of the body.',
    remedy: 'Send a smaller body, for example with shorter texts.',
  },
  'unsupported-media-type': {
    meaning: 'The service does not support the media type of the body.',
    cause: 'Content-Type is missing, is not JSON, or has another charset than utf-8; or Content-Encoding is set.',
    remedy: 'Send `Content-Type: application/json` (PATCH: or application/merge-patch+json), no Content-Encoding.',
  },
  'validation-failed': {
    meaning: 'The request is well-formed but has invalid values. `errors` lists every violation and its place.',
    cause: 'A field or parameter is unknown, missing, of the wrong type, out of range, or given twice.',
    remedy:
      'Correct each entry of `errors`: `pointer` is a place in the body, `parameter` a query parameter, `header` a request header.',
  },
  'idempotency-key-reused': {
    meaning: 'This Idempotency-Key was used before with another body. Nothing was changed by this request.',
    cause: 'The same key was sent for two different operations within 24 hours (the default time).',
    remedy: 'For a new operation, create a new key. To repeat the first operation, send exactly its body.',
  },
  'too-many-requests': {
    meaning: 'The service received more requests than it accepts. This request changed nothing.',
    cause: 'The account has used its budget, or all clients together the capacity of the gateway.',
    remedy:
      'Wait Retry-After seconds, then send the same request again. The header RateLimit shows how much is left. The gateway itself sends {"message": "Too Many Requests"} without Retry-After: then retry with exponential backoff and jitter.',
  },
  'internal-error': {
    meaning: 'The service failed. A write may or may not have taken effect.',
    cause: 'An unexpected error in the service. It is logged with the `request_id`.',
    remedy:
      'Send the same request again with the same Idempotency-Key. If the error persists, report the `request_id`.',
  },
  unavailable: {
    meaning: 'The service could not complete the request in time. A write may or may not have taken effect.',
    cause: 'Too many requests for one invoice or customer at the same time, or a dependency did not respond.',
    remedy: 'Wait Retry-After seconds. Then send the same request with the same Idempotency-Key or If-Match.',
  },

  // Errors that depend on the state of a resource, or on a rule.
  'policy-denied': {
    meaning: 'The token has the required scope, but a rule forbids this operation. `rule` names the rule.',
    cause:
      'amount: a clerk pays or settles more minor units than the limit for clerks; an invoice is settled by a PATCH or PUT of status paid. submitter: a clerk or an accountant refunds a payment that they created, or a clerk voids a payment of somebody else or reopens an invoice. time: the payment is too old to be refunded by anybody but an admin, or to be voided by a clerk.',
    remedy: 'Ask somebody whom the rule permits. A retry with the same token fails again.',
  },
  'invoice-not-cancelable': {
    meaning: 'The invoice cannot be canceled.',
    cause: 'The invoice is paid, or it has payments or credit notes.',
    remedy: 'Void a payment that is wrong. To return money, refund it; to reduce what is due, create a credit note.',
  },
  'invoice-not-reopenable': {
    meaning: 'The invoice cannot be opened again.',
    cause:
      'Only an invoice that a PATCH or PUT settled outside the service can be opened again, unless its credit notes leave nothing due. `detail` states why this one cannot.',
    remedy: 'If its payments settled it, void a payment that is wrong: POST /payments/<id>/void.',
  },
  'payment-has-refunds': {
    meaning: 'The payment cannot be voided.',
    cause: 'Money of this payment has gone back to the customer, so it was not a mistake.',
    remedy: 'Refund the rest with POST /refunds, if the customer shall get it back.',
  },
  'payment-voided': {
    meaning: 'The payment cannot be refunded.',
    cause: 'The payment is voided: it was recorded by mistake, so there is nothing to return.',
    remedy: 'Read the payment. If another payment is the right one, refund that one.',
  },
  'invoice-has-payments': {
    meaning: 'This operation is not possible for an invoice with payments.',
    cause: 'An invoice with payments cannot be deleted, and its items cannot be added, changed or deleted.',
    remedy: 'Create another invoice or a credit note for the difference. Void a payment that is wrong.',
  },
  'invoice-has-credit-notes': {
    meaning: 'This operation is not possible for an invoice with credit notes.',
    cause: 'An invoice with credit notes cannot be deleted, and its items cannot be added, changed or deleted.',
    remedy: 'Create another invoice, or another credit note. Credit notes are permanent.',
  },
  'invoice-closed': {
    meaning: 'The invoice is paid or canceled: only its metadata can change.',
    cause:
      'The request changes another field of the invoice, or its items, or deletes an invoice that a PATCH or PUT marked as paid.',
    remedy: 'Create another invoice for what you still want to charge.',
  },
  'invoice-issued': {
    meaning: 'The invoice has a number: only its `status`, `due_date`, `metadata` and `external_id` can change.',
    cause: 'The request changes another field of the invoice, or its items, or deletes it.',
    remedy:
      'An issued invoice stays as it is. If nothing is paid, cancel it with POST /invoices/<id>/cancel, which keeps its number, and create another invoice.',
  },
  'series-in-use': {
    meaning: 'The number series has assigned a number: only its status can change, and it cannot be deleted.',
    cause: 'At least one invoice or credit note has a number of the series.',
    remedy: 'Close it with PATCH /number-series/<id> and {"status": "closed"}, and create another series.',
  },
  'already-taken': {
    meaning: 'Another resource of this collection has the value of a field that must be unique.',
    cause:
      '`field` names the field, such as `external_id`. `conflicting_id` is the id of the other resource, if your token may read it.',
    remedy: 'Read the other resource: it may be the one that you wanted to create. Otherwise, send another value.',
  },
  'customer-in-use': {
    meaning: 'The customer cannot be deleted.',
    cause: 'At least one invoice has this customer in `customer_id`.',
    remedy: 'List them with `GET /invoices?customer_id=<id>`. Delete them or change their `customer_id`.',
  },
  'invalid-transition': {
    meaning: 'The invoice cannot change from its current status to the requested one.',
    cause:
      'PATCH and PUT permit draft to open and open to paid. POST /invoices/<id>/cancel cancels. Only void and reopen open a paid invoice. Canceled is final.',
    remedy: 'Read the invoice to get its current status, and use one of these changes.',
  },
  'invoice-not-payable': {
    meaning: 'The invoice does not accept payments, because it is not open.',
    cause: 'The invoice is a draft, paid or canceled. `detail` states its status.',
    remedy: 'If it is a draft, send PATCH /invoices/<id> with {"status": "open"}. Otherwise there is nothing to pay.',
  },
  'amount-exceeds-due': {
    meaning: 'The payment is larger than the amount due.',
    cause: 'The amount is wrong, or another payment was made since you read the invoice.',
    remedy:
      'Pay at most `amount_due_cents` of this response (`amount_due` in v2). You can use the same Idempotency-Key: errors are not stored.',
    amounts: { amount_due_cents: 'what is left to pay' },
  },
  'amount-exceeds-refundable': {
    meaning: 'The refund is larger than the amount that can still be refunded.',
    cause: 'The amount is wrong, or a part of the payment was refunded before.',
    remedy:
      'Refund at most `amount_refundable_cents` of this response (`amount_refundable` in v2), or omit the amount to refund all of it.',
    amounts: { amount_refundable_cents: 'what is left to refund' },
  },
  'invoice-not-creditable': {
    meaning: 'The invoice cannot be credited.',
    cause: 'The invoice is a draft or canceled, so nobody owes its amount.',
    remedy: 'Change the draft. A canceled invoice needs no credit note.',
  },
  'amount-exceeds-creditable': {
    meaning: 'The credit note is larger than the amount that can still be credited.',
    cause: 'The amount is wrong, or a part of the total was credited before.',
    remedy:
      'Credit at most `amount_creditable_cents` of this response (`amount_creditable` in v2), or omit the amount to credit all of it.',
    amounts: { amount_creditable_cents: 'what is left to credit' },
  },
  'too-many-tax-rates': {
    meaning: 'The items of an invoice have too many tax rates.',
    cause: 'The items would have more than 10 different pairs of `tax_percent` and `tax_category`.',
    remedy: 'Divide the items between two invoices.',
  },
  'total-below-paid': {
    meaning: 'The new total is less than the amount already paid and credited.',
    cause: 'The request reduces the total of an invoice that has payments or credit notes.',
    remedy:
      'Send a total of at least the sum of `amount_paid_cents` and `amount_credited_cents`. Refunds do not reduce `amount_paid_cents`.',
  },
  'currency-locked': {
    meaning: 'The currency of the invoice cannot change.',
    cause: 'The invoice has payments, credit notes or items, which are in its currency.',
    remedy: 'Create another invoice in the other currency.',
  },
  'series-closed': {
    meaning: 'The number series assigns no more numbers.',
    cause: 'The invoice that would be issued names a series whose status is closed.',
    remedy: 'Name another series, or open the series again with PATCH /number-series/<id> and {"status": "active"}.',
  },
  'issue-date-out-of-order': {
    meaning: 'The invoice cannot have this issue date: the dates of a series never fall while its numbers rise.',
    cause: 'The date is before the last date of the series, or more than one day after today (UTC).',
    remedy: 'Send a date in the range that `detail` states, or omit `issue_date`.',
  },
  'too-many-exports': {
    meaning: 'The account has reached its limit of unfinished exports.',
    cause: 'An account can have 20 exports that are pending or running.',
    remedy:
      'Wait until one is completed, or cancel one with POST /exports/<id>/cancel. Then send the same request again. Retry-After says when to try next.',
  },
  'export-not-ready': {
    meaning: 'The export has no file.',
    cause: 'The export is pending, running, canceled or failed. `detail` states its status.',
    remedy:
      'While it is pending or running, read the export again after Retry-After seconds, until its status is completed. If it failed, its `error` says why: create another export.',
  },
  'export-not-cancelable': {
    meaning: 'The export has already ended.',
    cause: 'The export is completed or failed.',
    remedy: 'No action is needed. The service deletes the file 7 days after completion.',
  },
  'too-many-webhook-endpoints': {
    meaning: 'The account has reached its limit of webhook endpoints.',
    cause: 'An account can have 20 webhook endpoints.',
    remedy: 'Delete one that is no longer needed, or subscribe an existing one to more event types.',
  },
  'too-many-rewinds': {
    meaning: 'The webhook endpoint was rewound less than a minute ago. This request changed nothing.',
    cause: 'Each rewind can deliver all events again, so an endpoint can be rewound once a minute.',
    remedy:
      'Wait Retry-After seconds, then send the same request again. After a lost response, repeat it with its Idempotency-Key instead: the stored response comes back at once.',
  },
  'delivery-not-retryable': {
    meaning: 'The delivery cannot be tried again now.',
    cause: 'The delivery is pending, or its webhook endpoint is disabled or deleted. `detail` says which.',
    remedy:
      'A pending delivery is tried again by itself, at `next_attempt_at`, or when its endpoint works again. Otherwise enable the endpoint first.',
  },
  'export-expired': {
    meaning: 'The file of the export was deleted.',
    cause: 'Files are stored for 7 days, until `expires_at` of the export.',
    remedy: 'Create another export.',
  },
};
