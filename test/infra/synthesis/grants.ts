import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { resources as RESOURCES } from '#shared/invoicing/index.ts';
import type { ResourceEntry } from '#shared/platform/resource.ts';
import type { Any, Resource } from './deployment.ts';
import { dev } from './stages.ts';

const { all, at, functions, resources } = dev;

/** A short name for a resource of a policy, such as `invoices/index/by_status`; the logical id of a log group. */
const shortName = (resource: Any): string => {
  if (typeof resource === 'string') return resource;
  if (resource['Fn::Join']) return resource['Fn::Join'][1].map(shortName).join('');
  const id: string = resource.Ref ?? resource['Fn::GetAtt'][0];
  return resources[id]?.Type === 'AWS::Logs::LogGroup' ? id : id.replace(/(table|queue)?[0-9A-F]{8}$/, '');
};

const listOf = (value: Any): Any[] => [value].flat();

/** Every action that a role allows, with its resource. */
const grantsOf = (role: Resource): [action: string, resource: string][] =>
  role.Properties['Policies'].flatMap(({ PolicyDocument }: Any) =>
    PolicyDocument.Statement.flatMap(({ Effect, Action, Resource }: Any) => {
      expect(Effect).toBe('Allow');
      return listOf(Action).flatMap((action) => listOf(Resource).map((resource) => [action, shortName(resource)]));
    }),
  );

const roleOf = (lambda: Resource): Resource => at(lambda.Properties['Role']);

/** The grants of a function's role without logs and X-Ray, DynamoDB's actions without their prefix. */
const dataGrantsOf = (file: string): string[] =>
  grantsOf(roleOf(functions[file] as Resource))
    .filter(([action]) => !/^(logs|xray):/.test(action))
    .map(([action, resource]) => `${action.replace('dynamodb:', '')} ${resource}`)
    .sort();

/** X-Ray's actions support no resource but `*`; the name of a stream contains the time of its creation. */
const TRACING = [
  ['xray:PutTelemetryRecords', '*'],
  ['xray:PutTraceSegments', '*'],
];

const RECORD = ['PutItem idempotency', 'GetItem idempotency', 'ConditionCheckItem idempotency'];
/** A commit that changes resources (CONTRACT §14). */
const OUTBOX = 'PutItem outbox';
/** A page by number, which may ask for sealing (CONTRACT §5). */
const PAGES = ['Query pages', 'UpdateItem pages'];
/** A dry run checks the conditions of all writes (CONTRACT §13). */
const checks = (...tables: readonly string[]) => tables.map((table) => `ConditionCheckItem ${table}`);

/** A wildcard, because the objects' names are not known at deployment. */
const FILES = 'exportsbucket/*';

const ENTRIES = Object.values<ResourceEntry>(RESOURCES);

/** The resources that an event can embed. A transaction that reads needs GetItem. */
const EXPANDED = ENTRIES.filter(({ events }) => events).flatMap(({ table }) => [
  `BatchGetItem ${table}`,
  `GetItem ${table}`,
]);

const LISTS_WEBHOOKS = ['Query webhookEndpoints', 'BatchGetItem webhookEndpoints'];
const LISTS_EVENTS = [
  'Query events',
  'Query events/index/by_type',
  'Query events/index/by_resource_id',
  'Query events/index/by_resource_id_type',
  'BatchGetItem events',
];
const LISTS_DELIVERIES = [
  'Query webhookDeliveries',
  'Query webhookDeliveries/index/by_status',
  'Query webhookDeliveries/index/by_webhook_endpoint_id',
  'Query webhookDeliveries/index/by_status_webhook_endpoint_id',
  'Query webhookDeliveries/index/by_held_by',
  'BatchGetItem webhookDeliveries',
];

/** A message that may be lost. */
const HINT = 'sqs:SendMessage deliveries';

/** Makes changes events, and dispatches them (CONTRACT §14, §15). */
const DISPATCHES = [
  'Query outbox',
  'PutItem outbox',
  'DeleteItem outbox',
  'PutItem events',
  ...LISTS_EVENTS,
  ...LISTS_WEBHOOKS,
  'UpdateItem webhookEndpoints',
  'PutItem webhookDeliveries',
  HINT,
];

const INDEXED = ENTRIES.filter(({ isIndexed }) => isIndexed);

/** Each combination of filters: `['a'], ['b'], ['a', 'b']`. */
const combinations = ([first, ...others]: readonly string[]): string[][] =>
  first === undefined ? [] : [[first], ...combinations(others).flatMap((names) => [names, [first, ...names]])];

/** The grants of a resource whose members are created, read and listed without other resources. */
const regular = ({ table, collection, filters, isIndexed, events }: ResourceEntry): Record<string, string[]> => ({
  [`${collection}/list`]: [
    `Query ${table}`,
    ...combinations([...filters].sort()).map((names) => `Query ${table}/index/by_${names.join('_')}`),
    `BatchGetItem ${table}`,
    ...(isIndexed ? PAGES : []),
  ],
  [`${collection}/create`]: [`PutItem ${table}`, ...RECORD, ...(events ? [OUTBOX] : []), ...checks(table)],
  [`${collection}/get`]: [`GetItem ${table}`],
});

/** The grants of all other functions according to the contract: written by hand, derived from nothing. */
const IRREGULAR: Record<string, string[]> = {
  'customers/update': ['GetItem customers', 'UpdateItem customers', OUTBOX, ...checks('customers')],
  'customers/replace': ['GetItem customers', 'UpdateItem customers', OUTBOX, ...checks('customers')],
  'customers/delete': ['GetItem customers', 'DeleteItem customers', OUTBOX, ...PAGES, ...checks('customers', 'pages')],
  'invoices/list': [
    'Query invoices',
    'Query invoices/index/by_status',
    'Query invoices/index/by_customer_id',
    'Query invoices/index/by_customer_id_status',
    'BatchGetItem invoices',
    'BatchGetItem customers',
    ...PAGES,
  ],
  'invoices/create': [
    'PutItem invoices',
    'UpdateItem customers',
    ...RECORD,
    OUTBOX,
    ...checks('invoices', 'customers'),
  ],
  'invoices/get': ['GetItem invoices', 'BatchGetItem customers'],
  'invoices/update': [
    'GetItem invoices',
    'UpdateItem invoices',
    'UpdateItem customers',
    OUTBOX,
    ...checks('invoices', 'customers'),
  ],
  'invoices/replace': [
    'GetItem invoices',
    'UpdateItem invoices',
    'UpdateItem customers',
    OUTBOX,
    ...checks('invoices', 'customers'),
  ],
  'invoices/delete': [
    'GetItem invoices',
    'BatchGetItem invoiceItems',
    'DeleteItem invoices',
    'UpdateItem customers',
    'DeleteItem invoiceItems',
    OUTBOX,
    ...PAGES,
    ...checks('invoices', 'customers', 'invoiceItems', 'pages'),
  ],
  'invoices/cancel': ['GetItem invoices', 'UpdateItem invoices', ...RECORD, OUTBOX, ...checks('invoices')],
  'invoices/list-payments': [
    'GetItem invoices',
    'Query payments',
    'Query payments/index/by_invoice_id',
    'BatchGetItem payments',
    ...PAGES,
  ],
  'invoices/get-payment': ['GetItem payments'],
  'invoice-items/create': [
    'PutItem invoiceItems',
    'GetItem invoices',
    'UpdateItem invoices',
    ...RECORD,
    OUTBOX,
    ...checks('invoiceItems', 'invoices'),
  ],
  'invoice-items/update': [
    'GetItem invoiceItems',
    'UpdateItem invoiceItems',
    'GetItem invoices',
    'UpdateItem invoices',
    OUTBOX,
    ...checks('invoiceItems', 'invoices'),
  ],
  'invoice-items/replace': [
    'GetItem invoiceItems',
    'UpdateItem invoiceItems',
    'GetItem invoices',
    'UpdateItem invoices',
    OUTBOX,
    ...checks('invoiceItems', 'invoices'),
  ],
  'invoice-items/delete': [
    'GetItem invoiceItems',
    'DeleteItem invoiceItems',
    'GetItem invoices',
    'UpdateItem invoices',
    OUTBOX,
    ...checks('invoiceItems', 'invoices'),
  ],
  'payments/create': [
    'GetItem invoices',
    'UpdateItem invoices',
    'PutItem payments',
    ...RECORD,
    OUTBOX,
    ...checks('invoices', 'payments'),
  ],
  'refunds/create': [
    'GetItem payments',
    'UpdateItem payments',
    'PutItem refunds',
    ...RECORD,
    OUTBOX,
    ...checks('payments', 'refunds'),
  ],
  'exports/create': [
    'PutItem exports',
    'UpdateItem counters',
    'sqs:SendMessage exports',
    ...RECORD,
    OUTBOX,
    ...checks('exports', 'counters'),
  ],
  'exports/get-file': ['GetItem exports', `s3:GetObject ${FILES}`],
  'exports/cancel': [
    'GetItem exports',
    'UpdateItem exports',
    'UpdateItem counters',
    ...RECORD,
    OUTBOX,
    ...checks('exports', 'counters'),
  ],
  'events/list': [
    'Query events',
    'Query events/index/by_type',
    'Query events/index/by_resource_id',
    'Query events/index/by_resource_id_type',
    'BatchGetItem events',
    'PutItem events',
    'Query outbox',
    'PutItem outbox',
    'DeleteItem outbox',
    ...EXPANDED,
    ...PAGES,
  ],
  'events/get': ['GetItem events', ...EXPANDED],
  'workers/export': [
    'BatchGetItem exports',
    'UpdateItem exports',
    'UpdateItem counters',
    ...ENTRIES.filter(({ isExported }) => isExported).map(({ table }) => `Query ${table}`),
    `s3:PutObject ${FILES}`,
    `s3:GetObject ${FILES}`,
    's3:ListBucket exportsbucket',
    'sqs:SendMessage exports',
    'sqs:ReceiveMessage exports',
    'sqs:DeleteMessage exports',
    'sqs:GetQueueAttributes exports',
    'sqs:ChangeMessageVisibility exports',
    OUTBOX,
  ],
  'workers/publish-waiting-changes': [...DISPATCHES, 'Scan outbox', 'Scan webhookEndpoints'],
  'workers/reconcile': [
    'BatchGetItem exports',
    'UpdateItem exports',
    'UpdateItem counters',
    'Query exports/index/by_due_at',
    `s3:AbortMultipartUpload ${FILES}`,
    's3:ListBucketMultipartUploads exportsbucket',
    'sqs:SendMessage exports',
    'BatchGetItem webhookDeliveries',
    'UpdateItem webhookDeliveries',
    'Query webhookDeliveries/index/by_due_at',
    'Query webhookDeliveries/index/across_held_by',
    'BatchGetItem webhookEndpoints',
    HINT,
    OUTBOX,
  ],
  'webhook-endpoints/create': [
    'PutItem webhookEndpoints',
    'UpdateItem counters',
    'GetItem outbox',
    ...RECORD,
    OUTBOX,
    ...checks('webhookEndpoints', 'counters'),
  ],
  'webhook-endpoints/update': [
    'GetItem webhookEndpoints',
    'UpdateItem webhookEndpoints',
    OUTBOX,
    ...checks('webhookEndpoints'),
    HINT,
  ],
  'webhook-endpoints/delete': [
    'GetItem webhookEndpoints',
    'DeleteItem webhookEndpoints',
    'UpdateItem counters',
    OUTBOX,
    ...checks('webhookEndpoints', 'counters'),
    HINT,
  ],
  'webhook-endpoints/rotate-secret': [
    'GetItem webhookEndpoints',
    'UpdateItem webhookEndpoints',
    ...RECORD,
    OUTBOX,
    ...checks('webhookEndpoints'),
  ],
  'webhook-endpoints/test': [
    'GetItem webhookEndpoints',
    'PutItem webhookDeliveries',
    ...RECORD,
    ...checks('webhookEndpoints', 'webhookDeliveries'),
    HINT,
  ],
  'webhook-endpoints/rewind': [
    'GetItem webhookEndpoints',
    'UpdateItem webhookEndpoints',
    ...LISTS_EVENTS,
    ...RECORD,
    ...checks('webhookEndpoints'),
    HINT,
  ],
  'webhook-deliveries/list': LISTS_DELIVERIES,
  'webhook-deliveries/retry': [
    'GetItem webhookDeliveries',
    'UpdateItem webhookDeliveries',
    'BatchGetItem webhookEndpoints',
    ...RECORD,
    ...checks('webhookEndpoints', 'webhookDeliveries'),
    HINT,
  ],
  // It may change endpoints and deliveries, and report the change of an endpoint, and nothing else.
  'workers/deliver': [
    ...LISTS_WEBHOOKS,
    'UpdateItem webhookEndpoints',
    ...LISTS_DELIVERIES,
    'PutItem webhookDeliveries',
    'UpdateItem webhookDeliveries',
    ...LISTS_EVENTS,
    'GetItem outbox',
    OUTBOX,
    'sqs:ReceiveMessage deliveries',
    'sqs:DeleteMessage deliveries',
    'sqs:GetQueueAttributes deliveries',
    'sqs:ChangeMessageVisibility deliveries',
    HINT,
  ],
  'workers/publish-changes': [
    ...DISPATCHES,
    'DescribeStream outbox',
    'GetRecords outbox',
    'GetShardIterator outbox',
    'ListStreams outbox/stream/*',
  ],
  'workers/seal': [
    ...INDEXED.map(({ table }) => `Query ${table}`),
    'Query exports/index/by_due_at',
    'Query pages/index/by_due_at',
    'Query pages',
    'GetItem pages',
    'UpdateItem pages',
    'DeleteItem pages',
  ],
  'service/health': [],
  'service/root': [],
  'service/openapi': [],
  'service/docs': [],
  'service/docs-file': [],
  'service/problem': [],
  'service/problems': [],
  'service/fallback': [],
};

const REVIEWED = {
  ...Object.fromEntries(
    ENTRIES.flatMap((entry) => Object.entries(regular(entry)).filter(([file]) => file in endpoints)),
  ),
  ...IRREGULAR,
};

describe('the roles of the functions', () => {
  test('every endpoint and every worker: its grants have been reviewed', () => {
    expect(Object.keys(REVIEWED).sort()).toEqual(Object.keys({ ...endpoints, ...workers }).sort());
  });

  test.each(Object.entries(REVIEWED))('%s: has exactly the reviewed grants on data', (file, expected) => {
    expect(dataGrantsOf(file)).toEqual([...expected].sort());
  });

  test('an endpoint with GET: may not write, except the feed, and a list to ask for sealing [CONTRACT §5, §14]', () => {
    const readers = Object.keys(endpoints).filter((file) => endpoints[file]?.route.startsWith('GET '));
    expect(readers.length).toBeGreaterThan(0);
    const writes = readers.flatMap((file) =>
      dataGrantsOf(file).flatMap((grant) =>
        /^(GetItem|BatchGetItem|Query|s3:GetObject) /.test(grant) ? [] : [`${file}: ${grant}`],
      ),
    );
    const feed = ['DeleteItem outbox', 'PutItem events', 'PutItem outbox'].map((grant) => `events/list: ${grant}`);
    const lists = [...INDEXED.map(({ collection }) => `${collection}/list`), 'invoices/list-payments'];
    expect(writes.sort()).toEqual([...feed, ...lists.map((file) => `${file}: UpdateItem pages`)].sort());
  });

  test('every function: has a role of its own, which only Lambda may assume', () => {
    const roles = Object.values(functions).map(roleOf);
    expect(new Set(roles).size).toBe(Object.keys(REVIEWED).length);
    expect(new Set(roles)).toEqual(new Set(all('AWS::IAM::Role')));
    for (const { Properties } of roles) {
      expect(Properties['AssumeRolePolicyDocument'].Statement).toEqual([
        { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
      ]);
    }
  });

  test('every role: writes only to the log group of the functions and to X-Ray', () => {
    for (const lambda of Object.values(functions)) {
      const group = lambda.Properties['LoggingConfig'].LogGroup.Ref;
      const others = grantsOf(roleOf(lambda)).filter(([action]) => /^(logs|xray):/.test(action));
      expect(others.sort()).toEqual([['logs:CreateLogStream', group], ['logs:PutLogEvents', group], ...TRACING]);
    }
  });

  test('every policy: inline in its role, and without wildcards except for exported files and X-Ray', () => {
    const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::RolePolicy'].flatMap(all);
    expect(policies).toEqual([]);
    for (const role of all('AWS::IAM::Role')) {
      expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
      const known = [FILES, 'outbox/stream/*'];
      const wild = grantsOf(role).filter((grant) => grant.some((text) => text.includes('*') && !known.includes(text)));
      expect(wild.sort()).toEqual(TRACING);
    }
  });
});
