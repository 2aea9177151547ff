import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Telemetry } from './telemetry.ts';

/**
 * An error without what the SDK hangs on it: the items of a cancelled transaction are clients' data, and one of
 * them may be the record of an idempotency key.
 */
const bare = ({ name, message, stack, cause }: Error): Error =>
  Object.assign(new Error(message, cause instanceof Error ? { cause: bare(cause) } : {}), { name, stack });

/**
 * Telemetry by AWS Powertools: JSON lines, and metrics as lines that CloudWatch reads them from (EMF), so that no call
 * is made for either. Their level, namespace and silence are Powertools' own variables.
 * @param serviceName the service that lines and metrics name
 */
export const powertools = (serviceName: string): Telemetry => {
  const logger = new Logger({ serviceName });
  // Most invocations count nothing.
  let metrics: Metrics | undefined;
  return {
    log: (message, fields) => logger.info(message, fields),
    warn: (message, error, fields = {}) => logger.warn(message, { ...fields, error: bare(error) }),
    fault: (message, error, fields = {}) => logger.error(message, { ...fields, error: bare(error) }),
    count: (metric, amount = 1, currency) => {
      metrics ??= new Metrics({ serviceName });
      if (currency !== undefined) metrics.addDimension('currency', currency);
      metrics.addMetric(metric, currency === undefined ? MetricUnit.Count : MetricUnit.NoUnit, amount);
      // At once, while its dimensions are these.
      metrics.publishStoredMetrics();
    },
  };
};
