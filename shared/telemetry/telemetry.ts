/** Whose lines and metrics these are. */
export const SERVICE = 'invoicing';

/**
 * What is counted for the operator's dashboard and alarms (infra/alarms.ts, docs/runbook.md). Money is in minor units
 * and by currency, `ExportsOverdue` is how many jobs wait too long at that moment, everything else is a number of events.
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

/** What a line says beyond its message: snake_case, and never a token, a body or an idempotency key. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** How the service tells its operator what happens: a log of JSON lines, and metrics. */
export interface Telemetry {
  log(message: string, fields: Fields): void;
  /** Something that passes, or that the service made up for. */
  warn(message: string, error: Error, fields?: Fields): void;
  /** Something that nobody foresaw, told whole; a client is told nothing of it. */
  fault(message: string, error: Error, fields?: Fields): void;
  /** @param currency of a metric of money */
  count(metric: Metric, amount?: number, currency?: string): void;
}
