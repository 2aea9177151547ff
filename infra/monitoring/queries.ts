import { CfnQueryDefinition, type LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';
import { namespaceOf } from './metrics.ts';

interface SavedQuery {
  /** The message of the lines that it reads; without one, any. */
  readonly message?: string;
  /** The commands that follow. An operator replaces a value in angle brackets. */
  readonly commands: readonly string[];
}

const ofRequests = (...commands: readonly string[]): SavedQuery => ({ message: 'request', commands });

/** The queries of docs/runbook.md on the log of the functions. */
export const FUNCTION_QUERIES: Readonly<Record<string, SavedQuery>> = {
  'one-request': {
    commands: [
      'fields @timestamp, level, message, route, account, status, code, milliseconds, error.name, error.message',
      'filter request_id = "<X-Request-Id>"',
      'sort @timestamp',
    ],
  },
  'one-account': ofRequests(
    'fields @timestamp, route, status, code, milliseconds, runs, conflicts, throttles, budget_left, request_id',
    'filter account = "<account>"',
    'sort @timestamp desc',
  ),
  'server-errors': ofRequests(
    'filter status >= 500',
    'stats count(*) as requests, latest(request_id) as example by route, status, code',
    'sort requests desc',
  ),
  'unexpected-errors': {
    commands: [
      'fields @timestamp, message, route, request_id, error.name, error.message, error.stack',
      'filter level = "ERROR"',
      'sort @timestamp desc',
    ],
  },
  'slow-routes': ofRequests(
    'stats count(*) as requests, pct(milliseconds, 50) as p50, pct(milliseconds, 99) as p99, avg(dynamodb_calls) as calls by route',
    'sort p99 desc',
  ),
  conflicts: ofRequests('stats sum(conflicts) as n, max(runs) as most_runs by route, account', 'sort n desc'),
  throttles: ofRequests('stats sum(throttles) as n by account', 'sort n desc'),
  'refused-accounts': ofRequests(
    'filter code = "too-many-requests"',
    'stats count(*) as n, min(budget_left) as left by account, route',
    'sort n desc',
  ),
  'routes-of-accounts': ofRequests('filter ispresent(account)', 'stats count(*) as n by account, route', 'sort n desc'),
  'failing-receivers': {
    message: 'webhook attempt',
    commands: [
      'filter ispresent(code)',
      'stats count(*) as attempts, max(milliseconds) as slowest by account, webhook_endpoint_id, origin, code, status',
      'sort attempts desc',
    ],
  },
  'failed-messages': {
    message: 'a message has failed',
    commands: ['fields @timestamp, message_id, error.name, error.message, error.stack', 'sort @timestamp desc'],
  },
  'issuer-keys': {
    message: 'the keys of the issuer could not be fetched',
    commands: ['stats count(*) as n, latest(@timestamp) as last by error.name, error.message'],
  },
  'unreachable-limits': {
    message: 'the counter of the limits could not be reached',
    commands: ['stats count(*) as n, latest(@timestamp) as last by reason'],
  },
  'worker-warnings': {
    commands: [
      'filter level = "WARN"',
      'stats count(*) as n, latest(@timestamp) as last by message, error.name, error.message',
      'sort n desc',
    ],
  },
  'published-events': {
    message: 'published',
    commands: ['fields @timestamp, events, unfinished, overdue', 'sort @timestamp desc'],
  },
  'sealed-pages': {
    message: 'sealed',
    commands: ['fields @timestamp, rows, collections, wrong', 'sort @timestamp desc'],
  },
  'cold-starts': { message: 'cold start', commands: ['stats count(*) as n by code_cache, node', 'sort n desc'] },
};

/** The queries of docs/runbook.md on the access log of the gateway. */
export const GATEWAY_QUERIES: Readonly<Record<string, SavedQuery>> = {
  'gateway-errors': {
    commands: [
      'filter status >= 500',
      'stats count(*) as requests, latest(lambda_request_id) as example by route, status, integration_error',
      'sort requests desc',
    ],
  },
  addresses: { commands: ['stats count(*) as requests by ip, route, status', 'sort requests desc'] },
};

/** In the folder `invoicing-<stage>` of CloudWatch Logs Insights. */
export const createQueries = (
  scope: Construct,
  { logs, accessLogs }: { readonly logs: LogGroup; readonly accessLogs: LogGroup },
  settings: Settings,
): void => {
  const create = ({ logGroupName }: LogGroup, queries: Readonly<Record<string, SavedQuery>>) => {
    for (const [id, { message, commands }] of Object.entries(queries)) {
      const all = message === undefined ? commands : [`filter message = "${message}"`, ...commands];
      new CfnQueryDefinition(scope, `${id}-query`, {
        name: `${namespaceOf(settings)}/${id}`,
        logGroupNames: [logGroupName],
        queryString: all.join('\n| '),
      });
    }
  };
  create(logs, FUNCTION_QUERIES);
  create(accessLogs, GATEWAY_QUERIES);
};
