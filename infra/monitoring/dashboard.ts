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
import type { DeployedQueue } from '#infra/constructs/queues.ts';
import type { Settings } from '#infra/settings/settings.ts';
import { gatewayMetric, type MonitoredResources, moneySearch, namespaceOf, PERIOD, serviceMetric } from './metrics.ts';

const FULL_WIDTH = 24;
const HEIGHT = 6;

const row = (graphs: Readonly<Record<string, readonly IMetric[]>>): IWidget[] => {
  const width = FULL_WIDTH / Object.keys(graphs).length;
  return Object.entries(graphs).map(
    ([title, left]) => new GraphWidget({ title, left: [...left], width, height: HEIGHT, period: PERIOD }),
  );
};

const traffic = (resources: MonitoredResources): IWidget[] =>
  row({
    'Requests, client errors (4xx) and server errors (5xx)': ['Count', '4xx', '5xx'].map((name) =>
      gatewayMetric(resources, name, 'Sum'),
    ),
    'Latency (p50, p99), in milliseconds': ['p50', 'p99'].map((statistic) =>
      gatewayMetric(resources, 'Latency', statistic),
    ),
  });

/** Lambda's metrics are free. Each route and each worker has its own function, so they show each route. */
const routes = ({ functions }: MonitoredResources): IWidget[] => {
  const each = (of: (lambda: Lambda, label: string) => IMetric) =>
    Object.entries(functions).map(([label, lambda]) => of(lambda, label));
  const period = PERIOD;
  return row({
    'Invocations of each function': each((lambda, label) => lambda.metricInvocations({ label, period })),
    'Errors and timeouts of each function': each((lambda, label) => lambda.metricErrors({ label, period })),
    'Duration of each function (p99), in milliseconds': each((lambda, label) =>
      lambda.metricDuration({ label, period, statistic: 'p99' }),
    ),
  });
};

const responses = ({ accessLogs }: MonitoredResources): IWidget =>
  new LogQueryWidget({
    title: 'Responses of each route by status, with their latency',
    logGroupNames: [accessLogs.logGroupName],
    queryLines: [
      'stats count(*) as requests, pct(response_ms, 50) as p50_ms, pct(response_ms, 99) as p99_ms by route, status',
      'sort requests desc',
    ],
    view: LogQueryVisualizationType.TABLE,
    width: FULL_WIDTH,
    height: HEIGHT * 1.5,
  });

const data = (settings: Settings): IWidget[] =>
  row({
    'Idempotency: replays, and keys reused with another body': [
      serviceMetric(settings, 'IdempotencyReplays'),
      serviceMetric(settings, 'IdempotencyMismatches'),
    ],
    'DynamoDB: conflicts and throttles': [
      serviceMetric(settings, 'TransactionConflicts'),
      serviceMetric(settings, 'TableThrottles'),
    ],
    'Issuer: failed fetches of the keys': [serviceMetric(settings, 'JwksFailures')],
  });

/** Amounts of different currencies cannot be added, so each currency has its own line. */
const money = (settings: Settings): IWidget[] => {
  const search = (metric: 'MoneyTaken' | 'MoneyRefunded') =>
    new MathExpression({ expression: moneySearch(settings, metric), label: '', period: PERIOD });
  return row({
    'Money taken, in minor units': [search('MoneyTaken')],
    'Money refunded, in minor units': [search('MoneyRefunded')],
  });
};

const exportJobs = ({ queues: { exports } }: MonitoredResources, settings: Settings): IWidget[] =>
  row({
    'Exports: completed, failed, overdue': [
      serviceMetric(settings, 'ExportsCompleted'),
      serviceMetric(settings, 'ExportsFailed'),
      serviceMetric(settings, 'ExportsOverdue', 'Maximum'),
    ],
    'Reconciler: messages sent again, uploads aborted': [
      serviceMetric(settings, 'ExportsReminded'),
      serviceMetric(settings, 'UploadsAborted'),
    ],
    ...queueGraphs('Exports', exports),
  });

const queueGraphs = (label: string, { queue, deadLetter }: DeployedQueue): Record<string, IMetric[]> => ({
  [`${label}: messages waiting, in progress, and in the dead-letter queue`]: [
    queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    queue.metricApproximateNumberOfMessagesNotVisible({ period: PERIOD }),
    deadLetter.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
  ],
  [`${label}: age of the oldest message, in seconds`]: [queue.metricApproximateAgeOfOldestMessage({ period: PERIOD })],
});

const webhooks = ({ queues: { deliveries } }: MonitoredResources, settings: Settings): IWidget[] =>
  row({
    'Webhooks: deliveries that succeeded or failed, and failed attempts': [
      serviceMetric(settings, 'DeliveriesSucceeded'),
      serviceMetric(settings, 'DeliveriesFailed'),
      serviceMetric(settings, 'DeliveryAttemptsFailed'),
    ],
    'Webhooks: lateness of the oldest due delivery, in seconds': [
      serviceMetric(settings, 'DeliveriesOverdueSeconds', 'Maximum'),
    ],
    'Webhooks: endpoints that were disabled, and messages that were sent again': [
      serviceMetric(settings, 'WebhookEndpointsDisabled'),
      serviceMetric(settings, 'DeliveriesReminded'),
    ],
    ...queueGraphs('Deliveries', deliveries),
  });

const feed = (settings: Settings): IWidget[] =>
  row({
    'Feed: events published by the worker': [serviceMetric(settings, 'EventsPublished')],
    'Feed: accounts whose changes wait too long': [serviceMetric(settings, 'OutboxesOverdue', 'Maximum')],
  });

const pages = (settings: Settings): IWidget[] =>
  row({
    'Page indexes: rows sealed': [serviceMetric(settings, 'RowsSealed')],
    'Page indexes: groups with wrong counts': [serviceMetric(settings, 'PageCountsWrong')],
    'Page indexes: lateness of the oldest request for sealing, in seconds': [
      serviceMetric(settings, 'SealingOverdueSeconds', 'Maximum'),
    ],
  });

export const createDashboard = (scope: Construct, resources: MonitoredResources, settings: Settings): void => {
  const markdown = `# Invoicing, ${settings.stage}\nRunbook (what each alarm means and what to do): ${settings.runbook}`;
  const title = new TextWidget({ markdown, width: FULL_WIDTH, height: 2 });
  const rows = [traffic(resources), routes(resources), [responses(resources)], data(settings), money(settings)];
  new Dashboard(scope, 'dashboard', {
    dashboardName: namespaceOf(settings),
    widgets: [
      [title],
      ...rows,
      exportJobs(resources, settings),
      feed(settings),
      webhooks(resources, settings),
      pages(settings),
    ],
  });
};
