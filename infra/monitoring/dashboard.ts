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
import {
  type CountedMetric,
  coldStarts,
  gatewayMetric,
  type MonitoredResources,
  moneySearch,
  namespaceOf,
  PERIOD,
  serviceMetric,
} from './metrics.ts';

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

/** The service's metrics, by the title of their graph. */
type Graphs = Readonly<Record<string, readonly CountedMetric[]>>;

const DATA: Graphs = {
  'Idempotency: replays, and keys reused with another body': ['IdempotencyReplays', 'IdempotencyMismatches'],
  'DynamoDB: conflicts and throttles': ['TransactionConflicts', 'TableThrottles'],
  'Issuer: failed fetches of the keys': ['JwksFailures'],
};
const LIMITS: Graphs = {
  'Limits of accounts: refused requests': ['RequestsOverLimit'],
  'Limits of accounts: requests that were not counted': ['LimitsUnreachable'],
};
const EXPORTS: Graphs = {
  'Exports: completed, failed, overdue': ['ExportsCompleted', 'ExportsFailed', 'ExportsOverdue'],
  'Reconciler: messages sent again, uploads aborted': ['ExportsReminded', 'UploadsAborted'],
};
const FEED: Graphs = {
  'Feed: events published by the worker': ['EventsPublished'],
  'Feed: accounts whose changes wait too long': ['OutboxesOverdue'],
};
const WEBHOOKS: Graphs = {
  'Webhooks: deliveries that succeeded or failed, and failed attempts': [
    'DeliveriesSucceeded',
    'DeliveriesFailed',
    'DeliveryAttemptsFailed',
  ],
  'Webhooks: age of the oldest event that waits for an endpoint that does not fail, and lateness of the oldest later attempt or probe, in seconds':
    ['DispatchLagSeconds', 'WebhooksOverdueSeconds'],
  'Webhooks: endpoints that were disabled': ['WebhookEndpointsDisabled'],
};
const PAGES: Graphs = {
  'Page indexes: rows sealed': ['RowsSealed'],
  'Page indexes: lateness of the oldest request for sealing, in seconds': ['SealingOverdueSeconds'],
};

const metricsOf = (settings: Settings, graphs: Graphs): Record<string, IMetric[]> =>
  Object.fromEntries(
    Object.entries(graphs).map(([title, names]) => [title, names.map((name) => serviceMetric(settings, name))]),
  );

/** Amounts of different currencies cannot be added, so each currency has its own line. */
const money = (settings: Settings): IWidget[] => {
  const search = (metric: 'MoneyTaken' | 'MoneyRefunded') =>
    new MathExpression({ expression: moneySearch(settings, metric), label: '', period: PERIOD });
  return row({
    'Money taken, in minor units': [search('MoneyTaken')],
    'Money refunded, in minor units': [search('MoneyRefunded')],
  });
};

const queueGraphs = (label: string, { queue, deadLetter }: DeployedQueue): Record<string, IMetric[]> => ({
  [`${label}: messages waiting, in progress, and in the dead-letter queue`]: [
    queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
    queue.metricApproximateNumberOfMessagesNotVisible({ period: PERIOD }),
    deadLetter.metricApproximateNumberOfMessagesVisible({ period: PERIOD }),
  ],
  [`${label}: age of the oldest message, in seconds`]: [queue.metricApproximateAgeOfOldestMessage({ period: PERIOD })],
});

export const createDashboard = (scope: Construct, resources: MonitoredResources, settings: Settings): void => {
  const markdown = `# Invoicing, ${settings.stage}\nRunbook (what each alarm means and what to do): ${settings.runbook}`;
  const title = new TextWidget({ markdown, width: FULL_WIDTH, height: 2 });
  const { exports, deliveries } = resources.queues;
  new Dashboard(scope, 'dashboard', {
    dashboardName: namespaceOf(settings),
    widgets: [
      [title],
      traffic(resources),
      routes(resources),
      [responses(resources)],
      row(metricsOf(settings, DATA)),
      row(metricsOf(settings, LIMITS)),
      money(settings),
      row({ ...metricsOf(settings, EXPORTS), ...queueGraphs('Exports', exports) }),
      row(metricsOf(settings, FEED)),
      row({ ...metricsOf(settings, WEBHOOKS), ...queueGraphs('Deliveries', deliveries) }),
      row(metricsOf(settings, PAGES)),
      row({ 'Cold starts by what became of the code cache': coldStarts(settings) }),
    ],
  });
};
