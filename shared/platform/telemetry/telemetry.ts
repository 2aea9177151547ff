import type { Metric } from '#shared/vocabulary.ts';

/** Log fields: in snake_case, and never a token, a body or an idempotency key. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Telemetry {
  log(message: string, fields: LogFields): void;
  /** A transient error, or an error that the service has handled. */
  warn(message: string, error: Error, fields?: LogFields): void;
  /** An unexpected error; clients see only `internal-error`. */
  fault(message: string, error: Error, fields?: LogFields): void;
  count(metric: Metric, amount?: number, currency?: string): void;
}
