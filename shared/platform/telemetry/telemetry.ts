import type { Product } from '#shared/platform/product.ts';

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
  count(metric: Product['metric'], amount?: number, currency?: string): void;
}
