import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';
import { gatewayMetric, type MonitoredResources, moneySearch, namespaceOf, ownMetric, PERIOD } from './metrics.ts';

const WHOLE = 24;
const HEIGHT = 6;

/** Graphs side by side, each as wide as the others. */
const row = (graphs: Readonly<Record<string, readonly IMetric[]>>): IWidget[] => {
  const width = WHOLE / Object.keys(graphs).length;
  return Object.entries(graphs).map(
    ([title, left]) => new GraphWidget({ title, left: [...left], width, height: HEIGHT, period: PERIOD }),
  );
};

const traffic = (watched: MonitoredResources): IWidget[] =>
  row({
    'Requests, and those refused (4xx) or failed (5xx)': ['Count', '4xx', '5xx'].map((name) =>
      gatewayMetric(watched, name, 'Sum'),
    ),
    'Time to answer, in milliseconds': ['p50', 'p99'].map((statistic) => gatewayMetric(watched, 'Latency', statistic)),
  });

/** Each route and each worker has a function of its own, so that Lambda's metrics, which cost nothing, are theirs. */
const routes = ({ functions }: MonitoredResources): IWidget[] => {
  const each = (of: (lambda: Lambda, label: string) => IMetric) =>
    Object.entries(functions).map(([label, lambda]) => of(lambda, label));
  const period = PERIOD;
  return row({
    'Calls of each function': each((lambda, label) => lambda.metricInvocations({ label, period })),
    'Calls that crashed or ran out of time': each((lambda, label) => lambda.metricErrors({ label, period })),
    'Time of each function (p99)': each((lambda, label) => lambda.metricDuration({ label, period, statistic: 'p99' })),
  });
};

const responses = ({ accessLogs }: MonitoredResources): IWidget =>
  new LogQueryWidget({
    title: 'Answers of each route by status, with their times',
    logGroupNames: [accessLogs.logGroupName],
    queryLines: [
      'stats count(*) as requests, pct(response_ms, 50) as p50_ms, pct(response_ms, 99) as p99_ms by route, status',
      'sort requests desc',
    ],
    view: LogQueryVisualizationType.TABLE,
    width: WHOLE,
    height: HEIGHT * 1.5,
  });

const data = (settings: Settings): IWidget[] =>
  row({
    'Idempotency: replays, and keys used for another body': [
      ownMetric(settings, 'IdempotencyReplays'),
      ownMetric(settings, 'IdempotencyMismatches'),
    ],
    'DynamoDB: conflicts and throttles': [
      ownMetric(settings, 'TransactionConflicts'),
      ownMetric(settings, 'TableThrottles'),
    ],
    'Issuer: keys not to be had': [ownMetric(settings, 'JwksFailures')],
  });

/** Each currency in its own minor units: their sum would mean nothing. */
const money = (settings: Settings): IWidget[] => {
  const search = (metric: 'MoneyTaken' | 'MoneyRefunded') =>
    new MathExpression({ expression: moneySearch(settings, metric), label: '', period: PERIOD });
  return row({
    'Money taken, in minor units': [search('MoneyTaken')],
    'Money refunded, in minor units': [search('MoneyRefunded')],
  });
};

const exportJobs = ({ exports: { queue, deadLetter } }: MonitoredResources, settings: Settings): IWidget[] =>
  row({
    'Exports: completed, failed, pending too long': [
      ownMetric(settings, 'ExportsCompleted'),
      ownMetric(settings, 'ExportsFailed'),
      ownMetric(settings, 'ExportsOverdue', 'Maximum'),
    ],
    'Reconciler: messages sent again, uploads aborted': [
      ownMetric(settings, 'ExportsReminded'),
      ownMetric(settings, 'UploadsAborted'),
    ],
    'Queue: messages waiting, in hand, and dead': [
      queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
      queue.metricApproximateNumberOfMessagesNotVisible({ period: PERIOD }),
      deadLetter.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    ],
    'Queue: age of the oldest message, in seconds': [queue.metricApproximateAgeOfOldestMessage({ period: PERIOD })],
  });

/** Creates the dashboard of a stage: what comes in, how each route fares, and what the data says. */
export const createDashboard = (scope: Construct, watched: MonitoredResources, settings: Settings): void => {
  const markdown = `# Invoicing, ${settings.stage}\nWhat each alarm means, and what to do: ${settings.runbook}`;
  const title = new TextWidget({ markdown, width: WHOLE, height: 2 });
  const rows = [traffic(watched), routes(watched), [responses(watched)], data(settings), money(settings)];
  new Dashboard(scope, 'dashboard', {
    dashboardName: namespaceOf(settings),
    widgets: [[title], ...rows, exportJobs(watched, settings)],
  });
};
