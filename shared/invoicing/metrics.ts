/** The service that log lines and metrics name. */
export const SERVICE = 'invoicing';

/**
 * What is counted for the operator's dashboard and alarms (infra/monitoring/alarms.ts, docs/runbook.md). Money is in
 * minor units and by currency, `ExportsOverdue` is how many jobs wait too long at that moment, everything else is a
 * number of events.
 */
export type Metric =
  | 'IdempotencyReplays'
  | 'IdempotencyMismatches'
  | 'TransactionConflicts'
  | 'TableThrottles'
  | 'JwksFailures'
  | 'MoneyTaken'
  | 'MoneyRefunded'
  | 'ExportsOverdue'
  | 'ExportsCompleted'
  | 'ExportsFailed'
  | 'ExportsReminded'
  | 'UploadsAborted';

/** A metric of money, and the dimension that such a one has. */
export type MoneyMetric = Extract<Metric, `Money${string}`>;

/** The amount of a payment or a refund. */
export const amountOf = ({ amount_cents, currency }: { amount_cents: number; currency: string }) => ({
  amount: amount_cents,
  currency,
});
