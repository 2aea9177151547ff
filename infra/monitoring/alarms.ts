import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { workers } from '#functions/workers.ts';
import type { Settings } from '#infra/settings/settings.ts';
import type { QueueName } from '#shared/vocabulary.ts';
import {
  type CountedMetric,
  gatewayMetric,
  isGauge,
  type MonitoredResources,
  namespaceOf,
  PERIOD,
  serviceMetric,
} from './metrics.ts';

interface AlarmRule {
  readonly summary: string;
  readonly metric: IMetric;
  /** The alarm fires when the metric is above it. */
  readonly threshold: number;
  /** The number of successive periods of five minutes. Default: 1. */
  readonly periods?: number;
}

/** The share of errors in percent; 0 below five errors, which could come from a single client. */
export const SERVER_ERRORS = { expression: 'IF(errors >= 5, 100 * errors / requests, 0)', threshold: 1 };

const serverErrors = (resources: MonitoredResources): MathExpression =>
  new MathExpression({
    expression: SERVER_ERRORS.expression,
    usingMetrics: {
      errors: gatewayMetric(resources, '5xx', 'Sum'),
      requests: gatewayMetric(resources, 'Count', 'Sum'),
    },
    period: PERIOD,
    label: '5xx responses, in percent',
  });

/** Covers all functions of the account, because they share one concurrency limit. */
const lambdaThrottles = (): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period: PERIOD });

export const MAX_DEAD_LETTERS = 0;

/** The alarms of a queue and of its dead-letter queue. */
const queueAlarms = (name: QueueName, contents: string, { queues }: MonitoredResources): Record<string, AlarmRule> => ({
  [`oldest-${name}-message`]: {
    summary: `A message of ${contents} has waited for more than 10 minutes.`,
    metric: queues[name].queue.metricApproximateAgeOfOldestMessage({ period: PERIOD }),
    threshold: 600,
  },
  [`${name}-dead-letters`]: {
    summary: `Messages of ${contents} have failed five times and are in the dead-letter queue.`,
    metric: queues[name].deadLetter.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    threshold: MAX_DEAD_LETTERS,
  },
});

/** The alarms of the service's own metrics. */
export const SERVICE_ALARMS: Readonly<Record<string, Omit<AlarmRule, 'metric'> & { readonly metric: CountedMetric }>> =
  {
    'table-throttles': {
      summary: 'DynamoDB throttles the service: more than 10 attempts in 5 minutes.',
      metric: 'TableThrottles',
      threshold: 10,
    },
    'transaction-conflicts': {
      summary: 'Transactions keep conflicting: more than 500 attempts in each period of 5 minutes.',
      metric: 'TransactionConflicts',
      threshold: 500,
      periods: 3,
    },
    'jwks-failures': {
      summary: 'The keys of the issuer cannot be fetched; requests to instances without keys get 503.',
      metric: 'JwksFailures',
      threshold: 2,
    },
    'requests-over-limit': {
      summary:
        'Accounts are above their limit: more than 1,000 requests were refused in each of 3 periods of 5 minutes.',
      metric: 'RequestsOverLimit',
      threshold: 1000,
      periods: 3,
    },
    'limits-unreachable': {
      summary:
        'The counters of the limits do not respond or are throttled: more than 100 requests were not counted in each of 3 periods of 5 minutes.',
      metric: 'LimitsUnreachable',
      threshold: 100,
      periods: 3,
    },
    'overdue-exports': {
      summary: 'Exports have been pending for more than 15 minutes, or the reconciler does not run to its end.',
      metric: 'ExportsOverdue',
      threshold: 0,
    },
    'waiting-webhooks': {
      summary:
        'An event has waited for more than 5 minutes for a webhook endpoint that works, in each of 3 periods of 5 minutes, or their worker does not run to its end.',
      metric: 'DispatchLagSeconds',
      threshold: 300,
      periods: 3,
    },
    'overdue-webhooks': {
      summary:
        'A later attempt, a test or a probe of a webhook is more than 10 minutes late, or the reconciler does not run to its end.',
      metric: 'WebhooksOverdueSeconds',
      threshold: 600,
    },
    'waiting-events': {
      summary: 'Changes have waited for more than a minute and cannot become events, or their worker does not run.',
      metric: 'OutboxesOverdue',
      threshold: 0,
    },
    'overdue-sealing': {
      summary: 'A page index has waited for its new rows for more than 15 minutes, or the sealer does not run.',
      metric: 'SealingOverdueSeconds',
      threshold: 900,
    },
  };

const gatewayAndLambdaAlarms = (resources: MonitoredResources): Record<string, AlarmRule> => ({
  'server-errors': {
    summary: 'More than 1 % of the responses are 5xx.',
    metric: serverErrors(resources),
    threshold: SERVER_ERRORS.threshold,
  },
  'slow-answers': {
    summary: 'One response in a hundred takes more than 3 seconds.',
    metric: gatewayMetric(resources, 'Latency', 'p99'),
    threshold: 3000,
    periods: 3,
  },
  'lambda-throttles': {
    summary: 'Lambda does not start functions of this account, because a concurrency limit is reached.',
    metric: lambdaThrottles(),
    threshold: 0,
  },
});

/** The description of each alarm links to its section of the runbook. */
export const createAlarms = (
  scope: Construct,
  resources: MonitoredResources,
  settings: Settings,
  topic: ITopic,
): void => {
  const create = (id: string, { summary, metric, threshold, periods = 1 }: AlarmRule, missing: TreatMissingData) => {
    const alarm = new Alarm(scope, `${id}-alarm`, {
      alarmName: `${namespaceOf(settings)}-${id}`,
      alarmDescription: `${summary} What to do: ${settings.runbook}#${id}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      datapointsToAlarm: periods,
      evaluationPeriods: periods,
      treatMissingData: missing,
    });
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
    return alarm;
  };
  const others = {
    ...gatewayAndLambdaAlarms(resources),
    ...queueAlarms('exports', 'exports', resources),
    ...queueAlarms('deliveries', 'webhook deliveries', resources),
  };
  for (const [id, rule] of Object.entries(others)) create(id, rule, TreatMissingData.NOT_BREACHING);
  for (const [id, { metric, ...rule }] of Object.entries(SERVICE_ALARMS)) {
    const missing = isGauge(metric) ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING;
    const alarm = create(id, { ...rule, metric: serviceMetric(settings, metric) }, missing);
    // Without the workers, no gauge is written, so the alarm would fire.
    if (isGauge(metric)) alarm.node.addDependency(...workersOf(resources));
  }
};

const workersOf = ({ functions }: MonitoredResources): readonly Lambda[] =>
  Object.keys(workers).map((file) => functions[file] as Lambda);
