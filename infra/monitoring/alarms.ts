import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';
import { gatewayMetric, type MonitoredResources, namespaceOf, ownMetric, PERIOD } from './metrics.ts';

/** What wakes an operator: a metric above a threshold in so many of the last so many periods. */
interface AlarmRule {
  /** A sentence for whoever is woken. */
  readonly summary: string;
  readonly metric: IMetric;
  readonly above: number;
  readonly periods: readonly [breaching: number, of: number];
  /** What a time without data means; nothing happens then, unless something is to tell of itself all the time. */
  readonly missingData?: TreatMissingData;
}

const ONE_PERIOD = [1, 1] as const;
const THREE_PERIODS = [3, 3] as const;

/** In percent, and 0 below a number of errors that could be one client's bad luck. */
const serverErrors = (watched: MonitoredResources): MathExpression =>
  new MathExpression({
    expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
    usingMetrics: {
      errors: gatewayMetric(watched, '5xx', 'Sum'),
      requests: gatewayMetric(watched, 'Count', 'Sum'),
    },
    period: PERIOD,
    label: 'answers of 5xx, in percent',
  });

/** Over the account's functions, which share one limit: also another one's throttles mean that it is reached. */
const lambdaThrottles = (): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period: PERIOD });

const ofService = (watched: MonitoredResources, settings: Settings): Record<string, AlarmRule> => ({
  'server-errors': {
    summary: 'More than 1 % of the answers are 5xx.',
    metric: serverErrors(watched),
    above: 1,
    periods: ONE_PERIOD,
  },
  'slow-answers': {
    summary: 'One answer in a hundred takes more than 3 seconds.',
    metric: gatewayMetric(watched, 'Latency', 'p99'),
    above: 3000,
    periods: THREE_PERIODS,
  },
  'lambda-throttles': {
    summary: 'Lambda refuses to start functions of this account.',
    metric: lambdaThrottles(),
    above: 0,
    periods: ONE_PERIOD,
  },
  'table-throttles': {
    summary: 'DynamoDB throttles the service.',
    metric: ownMetric(settings, 'TableThrottles'),
    above: 10,
    periods: ONE_PERIOD,
  },
  'transaction-conflicts': {
    summary: 'Transactions keep conflicting with each other.',
    metric: ownMetric(settings, 'TransactionConflicts'),
    above: 500,
    periods: THREE_PERIODS,
  },
  'jwks-failures': {
    summary: 'The keys of the issuer cannot be fetched; without them every token is refused.',
    metric: ownMetric(settings, 'JwksFailures'),
    above: 2,
    periods: ONE_PERIOD,
  },
});

const ofExports = (
  { exports: { queue, deadLetter } }: MonitoredResources,
  settings: Settings,
): Record<string, AlarmRule> => ({
  'oldest-message': {
    summary: 'A message of an export has waited for more than 10 minutes.',
    metric: queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    above: 600,
    periods: ONE_PERIOD,
  },
  'dead-letters': {
    summary: 'Messages of exports have failed for good.',
    metric: deadLetter.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    above: 0,
    periods: ONE_PERIOD,
  },
  'overdue-exports': {
    summary: 'Exports have been pending for more than 15 minutes, or the reconciler does not run.',
    metric: ownMetric(settings, 'ExportsOverdue', 'Maximum'),
    above: 0,
    periods: ONE_PERIOD,
    // The reconciler says so each minute, be it 0.
    missingData: TreatMissingData.BREACHING,
  },
});

/**
 * Creates the alarms. Each names its section of the runbook, which tells what to do.
 * @param told of each alarm, and of its end
 */
export const createAlarms = (scope: Construct, watched: MonitoredResources, settings: Settings, told: ITopic): void => {
  const pages = { ...ofService(watched, settings), ...ofExports(watched, settings) };
  for (const [id, { summary, metric, above, periods, missingData = TreatMissingData.NOT_BREACHING }] of Object.entries(
    pages,
  )) {
    const alarm = new Alarm(scope, `${id}-alarm`, {
      alarmName: `${namespaceOf(settings)}-${id}`,
      alarmDescription: `${summary} What to do: ${settings.runbook}#${id}`,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      datapointsToAlarm: periods[0],
      evaluationPeriods: periods[1],
      treatMissingData: missingData,
    });
    alarm.addAlarmAction(new SnsAction(told));
    alarm.addOkAction(new SnsAction(told));
  }
};
