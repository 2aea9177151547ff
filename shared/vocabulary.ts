/*
 * The words of the product that the platform needs. This file imports nothing, so that both can import it.
 */

/** The name of the service in log lines and metrics. */
export const SERVICE = 'invoicing';

/** The largest amount in minor units (CONTRACT §3); sums of many amounts stay exact. */
export const MAX_CENTS = 999_999_999_999;

/** The resources, by the names of their tables and stores. */
export type ResourceName =
  | 'customers'
  | 'invoices'
  | 'invoiceItems'
  | 'payments'
  | 'refunds'
  | 'creditNotes'
  | 'numberSeries'
  | 'exports'
  | 'webhookEndpoints'
  | 'webhookDeliveries'
  | 'events';

export type TableName = ResourceName | 'counters' | 'idempotency' | 'limits' | 'outbox' | 'pages' | 'uniqueValues';

/** The counters of each account. */
export type Counter = 'unfinished_exports' | 'webhook_endpoints';

/** CONTRACT §2. */
export type Scope =
  | 'customers:read'
  | 'customers:write'
  | 'invoices:read'
  | 'invoices:write'
  | 'payments:read'
  | 'payments:write'
  | 'refunds:read'
  | 'refunds:write'
  | 'credit-notes:read'
  | 'credit-notes:write'
  | 'number-series:read'
  | 'number-series:write'
  | 'exports:read'
  | 'exports:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'events:read';

/** The actions that a conditional rule decides on, with the fields that the rules read (CONTRACT §2). */
export interface Actions {
  readonly 'payment.create': { readonly amount_cents: number };
  readonly 'invoice.settle': { readonly amount_cents: number };
  readonly 'invoice.reopen': object;
  readonly 'payment.void': { readonly created_by: string; readonly created_at: string };
  readonly 'refund.create': { readonly created_by: string; readonly created_at: string };
}

export type Action = keyof Actions;

export type Act<A extends Action = Action> = {
  readonly [K in A]: { readonly action: K; readonly resource: Actions[K] };
}[A];

/** The settings that workers and the checks of endpoints read. */
export interface Settings {
  /** `allowsLocal` also permits loopback addresses and `localhost`, with http and with any port (CONTRACT §15). */
  readonly webhookAddresses: { readonly allowsLocal: boolean };
}

export interface ExportMessage {
  readonly account_id: string;
  readonly export_id: number;
}

/** A webhook endpoint has something to do. */
export interface EndpointMessage {
  readonly account_id: string;
  readonly webhook_endpoint_id: number;
}

/** The messages of each queue. */
export interface Messages {
  readonly exports: ExportMessage;
  readonly deliveries: EndpointMessage;
}

export type QueueName = keyof Messages;
export type Message = Messages[QueueName];

/**
 * Metrics of the dashboard and the alarms (infra/monitoring/, docs/runbook.md). `Money…` is in minor units, by
 * currency. `ExportsOverdue` and `OutboxesOverdue` are the current numbers of jobs and accounts that wait too long, and
 * `…Seconds` are current ages. The other metrics count occurrences.
 */
export type Metric =
  | 'IdempotencyReplays'
  | 'IdempotencyMismatches'
  | 'TransactionConflicts'
  | 'TableThrottles'
  | 'JwksFailures'
  | 'RequestsOverLimit'
  | 'LimitsUnreachable'
  | 'MoneyTaken'
  | 'MoneyRefunded'
  | 'ExportsOverdue'
  | 'ExportsCompleted'
  | 'ExportsFailed'
  | 'ExportsReminded'
  | 'UploadsAborted'
  | 'EventsPublished'
  | 'OutboxesOverdue'
  | 'DeliveriesSucceeded'
  | 'DeliveriesFailed'
  | 'DeliveryAttemptsFailed'
  | 'DispatchLagSeconds'
  | 'WebhooksOverdueSeconds'
  | 'WebhookEndpointsDisabled'
  | 'RowsSealed'
  | 'SealingOverdueSeconds';

export type MoneyMetric = Extract<Metric, `Money${string}`>;

export interface ProblemType {
  readonly status: number;
  readonly title: string;
  readonly retryAfter?: number;
  /** The names of its amounts in v1. */
  readonly amounts?: readonly `${string}_cents`[];
}

const catalogue = {
  'malformed-json': { status: 400, title: 'The body is not valid JSON.' },
  'malformed-query': { status: 400, title: 'The query string is not validly percent-encoded.' },
  'invalid-cursor': { status: 400, title: 'The cursor was altered or belongs to another list.' },
  'invalid-header': { status: 400, title: 'A header is malformed.' },
  'invalid-idempotency-key': { status: 400, title: 'The Idempotency-Key is malformed.' },
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
  'invoice-not-reopenable': { status: 409, title: 'The invoice cannot be opened again.' },
  'payment-has-refunds': { status: 409, title: 'The payment has refunds.' },
  'invoice-has-payments': { status: 409, title: 'The invoice has payments.' },
  'invoice-has-credit-notes': { status: 409, title: 'The invoice has credit notes.' },
  'invoice-closed': { status: 422, title: 'The invoice is closed.' },
  'invoice-issued': { status: 422, title: 'The invoice is issued.' },
  'series-in-use': { status: 409, title: 'The number series has assigned a number.' },
  'already-taken': { status: 409, title: 'Another resource has this value.' },
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
  'payment-voided': { status: 422, title: 'The payment is voided.' },
  'amount-exceeds-refundable': {
    status: 422,
    title: 'The amount exceeds what can be refunded.',
    amounts: ['amount_refundable_cents'],
  },
  'invoice-not-creditable': { status: 422, title: 'The invoice is neither open nor paid.' },
  'amount-exceeds-creditable': {
    status: 422,
    title: 'The amount exceeds what can be credited.',
    amounts: ['amount_creditable_cents'],
  },
  'too-many-tax-rates': { status: 422, title: 'The items have too many tax rates.' },
  'total-below-paid': { status: 422, title: 'The total is less than the amount already paid and credited.' },
  'currency-locked': {
    status: 422,
    title: 'The currency cannot change: the invoice has payments, credit notes or items.',
  },
  'series-closed': { status: 422, title: 'The number series is closed.' },
  'issue-date-out-of-order': { status: 422, title: 'The issue date is not in the order of the series.' },
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
