import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Telemetry } from './telemetry.ts';

/** JSON logs and embedded metrics (EMF). Powertools reads level and namespace from its own environment variables. */
export const powertools = (serviceName: string): Telemetry => {
  const logger = new Logger({ serviceName });
  // Created on first use, because most invocations count nothing.
  let metrics: Metrics | undefined;
  return {
    log: (message, fields) => logger.info(message, fields),
    warn: (message, error, fields = {}) => logger.warn(message, { ...fields, error: withoutSdkFields(error) }),
    fault: (message, error, fields = {}) => logger.error(message, { ...fields, error: withoutSdkFields(error) }),
    count: (metric, amount = 1, currency) => {
      metrics ??= new Metrics({ serviceName });
      if (currency !== undefined) metrics.addDimension('currency', currency);
      metrics.addMetric(metric, currency === undefined ? MetricUnit.Count : MetricUnit.NoUnit, amount);
      // Publishes at once, because the next metric may have other dimensions.
      metrics.publishStoredMetrics();
    },
  };
};

/** Drops the SDK's fields: they may contain clients' data, such as the items of a cancelled transaction. */
const withoutSdkFields = ({ name, message, stack, cause }: Error): Error =>
  Object.assign(new Error(message, cause instanceof Error ? { cause: withoutSdkFields(cause) } : {}), { name, stack });
