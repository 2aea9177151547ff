import { Duration } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { DeployedQueue } from '#infra/constructs/queues.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { type MoneyMetric, type Metric as OwnMetric, SERVICE } from '#shared/invoicing/metrics.ts';

/** What of a stage is watched. */
export interface MonitoredResources {
  readonly api: CfnApi;
  readonly accessLogs: LogGroup;
  /** By what each does: an endpoint's route, or the file of a worker. */
  readonly functions: Readonly<Record<string, Lambda>>;
  readonly exports: DeployedQueue;
}

/** Metrics are read, and alarms decide, by steps of this long. */
export const PERIOD = Duration.minutes(5);

/** The CloudWatch namespace of a stage's own metrics. */
export const namespaceOf = ({ stage }: Pick<Settings, 'stage'>): string => `invoicing-${stage}`;

/** A metric that the service counts itself, over all of its functions. */
export const ownMetric = (
  settings: Settings,
  metricName: Exclude<OwnMetric, MoneyMetric>,
  statistic: 'Sum' | 'Maximum' = 'Sum',
): Metric =>
  new Metric({
    namespace: namespaceOf(settings),
    metricName,
    statistic,
    period: PERIOD,
    dimensionsMap: { service: SERVICE },
  });

/** A metric of money, one line for each currency there is. */
export const moneySearch = (settings: Settings, metric: MoneyMetric): string =>
  `SEARCH('{${namespaceOf(settings)},service,currency} MetricName="${metric}"', 'Sum', ${PERIOD.toSeconds()})`;

/** A metric of the gateway, over all of its routes: those of each route would be billed as custom metrics. */
export const gatewayMetric = ({ api }: MonitoredResources, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    statistic,
    period: PERIOD,
    dimensionsMap: { ApiId: api.ref },
  });
