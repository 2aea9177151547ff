/** The service name in log lines and metrics. */
export const SERVICE = 'invoicing';

/**
 * Metrics of the dashboard and the alarms (infra/monitoring/, docs/runbook.md). `Money…` is in minor units, by
 * currency. `ExportsOverdue` and `OutboxesOverdue` are the current numbers of jobs and accounts that wait too long. The
 * other metrics count occurrences.
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
  | 'WebhookEndpointsDisabled'
  | 'RowsSealed'
  | 'SealingOverdueSeconds';

export type MoneyMetric = Extract<Metric, `Money${string}`>;

export const amountOf = ({ amount_cents, currency }: { amount_cents: number; currency: string }) => ({
  amount: amount_cents,
  currency,
});
