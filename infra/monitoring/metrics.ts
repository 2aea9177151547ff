import { Duration } from 'aws-cdk-lib';
import type { CfnApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { DeployedQueues } from '#infra/constructs/queues.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { type MoneyMetric, SERVICE, type Metric as ServiceMetric } from '#shared/vocabulary.ts';

export interface MonitoredResources {
  readonly api: CfnApi;
  readonly accessLogs: LogGroup;
  /** The functions, by the route of an endpoint or the file of a worker. */
  readonly functions: Readonly<Record<string, Lambda>>;
  readonly queues: DeployedQueues;
}

export const PERIOD = Duration.minutes(5);

export const namespaceOf = ({ stage }: Pick<Settings, 'stage'>): string => `invoicing-${stage}`;

export type CountedMetric = Exclude<ServiceMetric, MoneyMetric>;

/** Workers report these metrics each minute, even if they are 0. The worst value of a period counts. */
const GAUGES: readonly CountedMetric[] = [
  'ExportsOverdue',
  'DispatchLagSeconds',
  'WebhooksOverdueSeconds',
  'OutboxesOverdue',
  'SealingOverdueSeconds',
];

export const isGauge = (metric: CountedMetric): boolean => GAUGES.includes(metric);

/** A metric that the functions write themselves, for all functions together. */
export const serviceMetric = (settings: Settings, metricName: CountedMetric): Metric =>
  new Metric({
    namespace: namespaceOf(settings),
    metricName,
    statistic: isGauge(metricName) ? 'Maximum' : 'Sum',
    period: PERIOD,
    dimensionsMap: { service: SERVICE },
  });

/** A search expression with one line for each currency. */
export const moneySearch = (settings: Settings, metric: MoneyMetric): string =>
  `SEARCH('{${namespaceOf(settings)},service,currency} MetricName="${metric}"', 'Sum', ${PERIOD.toSeconds()})`;

/** A metric of the gateway for all routes: AWS charges metrics of single routes as custom metrics. */
export const gatewayMetric = ({ api }: MonitoredResources, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    statistic,
    period: PERIOD,
    dimensionsMap: { ApiId: api.ref },
  });

const COLD_STARTS = { metricName: 'ColdStarts', dimension: 'code_cache' };

/** Counts the lines of cold starts (shared/runtime/start-telemetry.ts). A metric of the function would delay the start. */
export const countColdStarts = (scope: Construct, logGroup: LogGroup, settings: Settings): void => {
  const { metricName, dimension } = COLD_STARTS;
  const field = `$.${dimension}`;
  new MetricFilter(scope, 'cold-starts', {
    logGroup,
    filterPattern: FilterPattern.exists(field),
    metricNamespace: namespaceOf(settings),
    metricName,
    metricValue: '1',
    dimensions: { [dimension]: field },
  });
};

/** The cold starts by the states of the code cache (shared/runtime/loader.ts). */
export const coldStarts = (settings: Settings): Metric[] =>
  ['accepted', 'rejected', 'missing', 'invalid'].map(
    (state) =>
      new Metric({
        namespace: namespaceOf(settings),
        metricName: COLD_STARTS.metricName,
        statistic: 'Sum',
        period: PERIOD,
        dimensionsMap: { [COLD_STARTS.dimension]: state },
      }),
  );
