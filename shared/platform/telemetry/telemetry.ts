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

const LEVELS = { TRACE: 6, DEBUG: 8, INFO: 12, WARN: 16, ERROR: 20, CRITICAL: 24, SILENT: 28 };
type Level = keyof typeof LEVELS;

/**
 * Writes JSON logs and embedded metrics (EMF) in the format of Powertools, and reads its environment variables
 * (docs/decisions/0018).
 */
export const jsonLines = (service: string, environment = process.env): Telemetry => {
  const minimum = LEVELS[environment['POWERTOOLS_LOG_LEVEL']?.toUpperCase() as Level] ?? LEVELS.INFO;
  const log = (level: Level, message: string, fields: LogFields = {}, error?: Error) => {
    if (LEVELS[level] < minimum) return;
    const timestamp = new Date().toISOString();
    const line = { level, message, timestamp, service, xray_trace_id: xrayTraceId(), ...fields };
    writeLine(error ? { ...line, error: loggedError(error) } : line);
  };
  return {
    log: (message, fields) => log('INFO', message, fields),
    warn: (message, error, fields) => log('WARN', message, fields, error),
    fault: (message, error, fields) => log('ERROR', message, fields, error),
    count: (metric, amount = 1, currency) => {
      if (environment['POWERTOOLS_METRICS_DISABLED'] === 'true') return;
      const dimensions = { service, ...(currency !== undefined && { currency }) };
      const directive = {
        Namespace: environment['POWERTOOLS_METRICS_NAMESPACE'],
        Dimensions: [Object.keys(dimensions)],
        Metrics: [{ Name: metric, Unit: currency === undefined ? 'Count' : 'None' }],
      };
      const metadata = { Timestamp: Date.now(), CloudWatchMetrics: [directive] };
      writeLine({ _aws: metadata, ...dimensions, [metric]: amount });
    },
  };
};

/** Not with `console`: Lambda's runtime adds the time and the request's id to its lines. */
const writeLine = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

/** Lambda sets the variable for each invocation. */
const xrayTraceId = (): string | undefined => /Root=([^;]+)/.exec(process.env['_X_AMZN_TRACE_ID'] ?? '')?.[1];

/** Without the SDK's fields: they may contain clients' data, such as the items of a cancelled transaction. */
const loggedError = ({ name, message, stack, cause }: Error): object => ({
  name,
  message,
  stack,
  cause: cause instanceof Error ? loggedError(cause) : undefined,
});
