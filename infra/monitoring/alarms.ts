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
import type { QueueName } from '#shared/invoicing/queues.ts';
import { gatewayMetric, type MonitoredResources, namespaceOf, PERIOD, serviceMetric } from './metrics.ts';

/** The alarm fires when the metric is above the threshold in `breaching` of the last `of` periods. */
interface AlarmRule {
  readonly summary: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods: readonly [breaching: number, of: number];
  /** The meaning of a period without data: no alarm by default. */
  readonly missingData?: TreatMissingData;
}

const ONE_PERIOD = [1, 1] as const;
const THREE_PERIODS = [3, 3] as const;

/** In percent; 0 below five errors, which could come from a single client. */
const serverErrors = (resources: MonitoredResources): MathExpression =>
  new MathExpression({
    expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
    usingMetrics: {
      errors: gatewayMetric(resources, '5xx', 'Sum'),
      requests: gatewayMetric(resources, 'Count', 'Sum'),
    },
    period: PERIOD,
    label: '5xx responses, in percent',
  });

/** For all functions of the account, because they share one concurrency limit. */
const lambdaThrottles = (): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period: PERIOD });

const serviceAlarms = (resources: MonitoredResources, settings: Settings): Record<string, AlarmRule> => ({
  'server-errors': {
    summary: 'More than 1 % of the responses are 5xx.',
    metric: serverErrors(resources),
    threshold: 1,
    periods: ONE_PERIOD,
  },
  'slow-answers': {
    summary: 'One response in a hundred takes more than 3 seconds.',
    metric: gatewayMetric(resources, 'Latency', 'p99'),
    threshold: 3000,
    periods: THREE_PERIODS,
  },
  'lambda-throttles': {
    summary: 'Lambda does not start functions of this account, because a concurrency limit is reached.',
    metric: lambdaThrottles(),
    threshold: 0,
    periods: ONE_PERIOD,
  },
  'table-throttles': {
    summary: 'DynamoDB throttles the service: more than 10 attempts in 5 minutes.',
    metric: serviceMetric(settings, 'TableThrottles'),
    threshold: 10,
    periods: ONE_PERIOD,
  },
  'transaction-conflicts': {
    summary: 'Transactions keep conflicting: more than 500 attempts in each period of 5 minutes.',
    metric: serviceMetric(settings, 'TransactionConflicts'),
    threshold: 500,
    periods: THREE_PERIODS,
  },
  'jwks-failures': {
    summary: 'The keys of the issuer cannot be fetched; requests to instances without keys get 503.',
    metric: serviceMetric(settings, 'JwksFailures'),
    threshold: 2,
    periods: ONE_PERIOD,
  },
});

/** The alarms of a queue and of its dead-letter queue. */
const queueAlarms = (name: QueueName, contents: string, { queues }: MonitoredResources): Record<string, AlarmRule> => ({
  [`oldest-${name}-message`]: {
    summary: `A message of ${contents} has waited for more than 10 minutes.`,
    metric: queues[name].queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    threshold: 600,
    periods: ONE_PERIOD,
  },
  [`${name}-dead-letters`]: {
    summary: `Messages of ${contents} have failed five times and are in the dead-letter queue.`,
    metric: queues[name].deadLetter.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    threshold: 0,
    periods: ONE_PERIOD,
  },
});

const exportAlarms = (settings: Settings): Record<string, AlarmRule> => ({
  'overdue-exports': {
    summary: 'Exports have been pending for more than 15 minutes, or the reconciler does not run to its end.',
    metric: serviceMetric(settings, 'ExportsOverdue', 'Maximum'),
    threshold: 0,
    periods: ONE_PERIOD,
    // The reconciler reports this metric each minute, even if it is 0, but not when it has no time to count.
    missingData: TreatMissingData.BREACHING,
  },
});

const webhookAlarms = (settings: Settings): Record<string, AlarmRule> => ({
  'overdue-deliveries': {
    summary: 'A delivery of a webhook has been due for more than 5 minutes, or the reconciler does not run.',
    metric: serviceMetric(settings, 'DeliveriesOverdueSeconds', 'Maximum'),
    threshold: 300,
    periods: ONE_PERIOD,
    // The reconciler reports this metric each minute, even if it is 0.
    missingData: TreatMissingData.BREACHING,
  },
});

const feedAlarms = (settings: Settings): Record<string, AlarmRule> => ({
  'waiting-events': {
    summary: 'Changes have waited for more than a minute and cannot become events, or their worker does not run.',
    metric: serviceMetric(settings, 'OutboxesOverdue', 'Maximum'),
    threshold: 0,
    periods: ONE_PERIOD,
    // The worker reports this metric each minute, even if it is 0.
    missingData: TreatMissingData.BREACHING,
  },
});

const pageAlarms = (settings: Settings): Record<string, AlarmRule> => ({
  'wrong-page-counts': {
    summary: 'The page index of a collection was wrong, and was corrected.',
    metric: serviceMetric(settings, 'PageCountsWrong'),
    threshold: 0,
    periods: ONE_PERIOD,
  },
  'overdue-sealing': {
    summary: 'A page index has waited for its new rows for more than 15 minutes, or the sealer does not run.',
    metric: serviceMetric(settings, 'SealingOverdueSeconds', 'Maximum'),
    threshold: 900,
    periods: ONE_PERIOD,
    // The sealer reports this metric each minute, even if it is 0.
    missingData: TreatMissingData.BREACHING,
  },
});

/** The description of each alarm links to its section of the runbook. */
export const createAlarms = (
  scope: Construct,
  resources: MonitoredResources,
  settings: Settings,
  topic: ITopic,
): void => {
  const rules = {
    ...serviceAlarms(resources, settings),
    ...queueAlarms('exports', 'exports', resources),
    ...queueAlarms('deliveries', 'webhook deliveries', resources),
    ...exportAlarms(settings),
    ...webhookAlarms(settings),
    ...feedAlarms(settings),
    ...pageAlarms(settings),
  };
  for (const [
    id,
    { summary, metric, threshold, periods, missingData = TreatMissingData.NOT_BREACHING },
  ] of Object.entries(rules)) {
    const alarm = new Alarm(scope, `${id}-alarm`, {
      alarmName: `${namespaceOf(settings)}-${id}`,
      alarmDescription: `${summary} What to do: ${settings.runbook}#${id}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      datapointsToAlarm: periods[0],
      evaluationPeriods: periods[1],
      treatMissingData: missingData,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
  }
};
