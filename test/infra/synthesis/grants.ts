import { describe, expect, test } from '@jest/globals';
import { endpoints } from '#functions/index.ts';
import { workers } from '#functions/workers.ts';
import { resources as RESOURCES } from '#shared/invoicing/index.ts';
import { isPublic, type Operation } from '#shared/platform/endpoint.ts';
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

/** Every action that a role allows, with its resource. */
const grantsOf = (role: Resource): [action: string, resource: string][] =>
  role.Properties['Policies'].flatMap(({ PolicyDocument }: Any) =>
    PolicyDocument.Statement.flatMap(({ Effect, Action, Resource }: Any) => {
      expect(Effect).toBe('Allow');
      return [Action].flat().flatMap((action) => [Resource].flat().map((resource) => [action, shortName(resource)]));
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

/** A wildcard, because the objects' names are not known at deployment. */
const FILES = 'exportsbucket/*';

/** The actions of the operations whose grants follow from their name. */
const REGULAR: Readonly<Record<string, readonly string[]>> = {
  create: ['PutItem'],
  get: ['GetItem'],
  update: ['GetItem', 'UpdateItem'],
  replace: ['GetItem', 'UpdateItem'],
  delete: ['GetItem', 'DeleteItem'],
};

const entries: readonly ResourceEntry[] = Object.values(RESOURCES);
const INDEXED = entries.filter(({ isIndexed }) => isIndexed);
/** The resources that an event can embed. A transaction that reads needs GetItem. */
const EXPANDED = entries
  .filter(({ events }) => events)
  .flatMap(({ table }) => [`BatchGetItem ${table}`, `GetItem ${table}`]);
const EXPORTED = entries.filter(({ isExported }) => isExported).map(({ table }) => `Query ${table}`);

/** A list reads the table, and an index for each combination of its filters and for each date that sorts it. */
const listOf = ({ table, filters, sorts = [] }: ResourceEntry): string[] => {
  const combinations: string[][] = [[]];
  for (const name of [...filters].sort()) combinations.push(...combinations.map((one) => [...one, name]));
  const indexes = [
    ...combinations.slice(1).map((names) => `by_${names.join('_')}`),
    ...sorts.map((sort) => `by_${sort.filters.join('_')}_then_${sort.by}`),
  ];
  return [`Query ${table}`, `BatchGetItem ${table}`, ...indexes.map((index) => `Query ${table}/index/${index}`)];
};

const LISTS_WEBHOOKS = listOf(RESOURCES.webhookEndpoints);
const LISTS_EVENTS = listOf(RESOURCES.events);
const LISTS_DELIVERIES = [...listOf(RESOURCES.webhookDeliveries), 'Query webhookDeliveries/index/by_held_by'];
/** A list by page number may ask for sealing (CONTRACT §5). */
const PAGES = ['Query pages', 'UpdateItem pages'];
/** Every operation counts its requests (CONTRACT §16). */
const LIMIT = ['GetItem limits', 'UpdateItem limits'];
const OUTBOX = 'PutItem outbox';
/** A message that may be lost. */
const HINT = 'sqs:SendMessage deliveries';
const consumes = (queue: string) =>
  ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'].map(
    (action) => `sqs:${action} ${queue}`,
  );

/** Makes changes events (CONTRACT §14). */
const SEQUENCES = ['GetItem outbox', 'Query outbox', OUTBOX, 'DeleteItem outbox', 'PutItem events'];
/** Makes changes events, and dispatches them (CONTRACT §15). */
const DISPATCHES = [
  ...SEQUENCES,
  ...LISTS_EVENTS,
  ...LISTS_WEBHOOKS,
  'UpdateItem webhookEndpoints',
  'PutItem webhookDeliveries',
  HINT,
];

/**
 * The reviewed grants of each operation, written by hand, in addition to those that follow from its name ({@link REGULAR}, a list)
 * and those that follow from a request that writes: {@link commitOf}.
 */
const REVIEWED: Readonly<Record<string, readonly string[]>> = {
  'invoices/list': ['BatchGetItem customers'],
  'invoices/create': ['UpdateItem customers', 'PutItem invoiceItems'],
  'invoices/get': ['BatchGetItem customers', 'Query invoiceItems', 'BatchGetItem invoiceItems'],
  'invoices/update': ['UpdateItem customers'],
  'invoices/replace': ['UpdateItem customers'],
  'invoices/delete': ['BatchGetItem invoiceItems', 'UpdateItem customers', 'DeleteItem invoiceItems'],
  'invoices/cancel': ['GetItem invoices', 'UpdateItem invoices'],
  'invoices/list-payments': [
    ...['GetItem invoices', 'Query payments', 'Query payments/index/by_invoice_id', 'BatchGetItem payments'],
    ...PAGES,
  ],
  'invoices/get-payment': ['GetItem payments'],
  'invoice-items/create': ['GetItem invoices', 'UpdateItem invoices'],
  'invoice-items/update': ['GetItem invoices', 'UpdateItem invoices'],
  'invoice-items/replace': ['GetItem invoices', 'UpdateItem invoices'],
  'invoice-items/delete': ['GetItem invoices', 'UpdateItem invoices'],
  'payments/create': ['GetItem invoices', 'UpdateItem invoices'],
  'refunds/create': ['GetItem payments', 'UpdateItem payments'],
  'exports/create': ['UpdateItem counters', 'sqs:SendMessage exports'],
  'exports/get-file': ['GetItem exports', `s3:GetObject ${FILES}`],
  'exports/cancel': ['GetItem exports', 'UpdateItem exports', 'UpdateItem counters'],
  'events/list': [...SEQUENCES, ...EXPANDED],
  'events/get': EXPANDED,
  'webhook-endpoints/create': ['UpdateItem counters', 'GetItem outbox'],
  'webhook-endpoints/update': [HINT],
  'webhook-endpoints/delete': ['UpdateItem counters', HINT],
  'webhook-endpoints/rotate-secret': ['GetItem webhookEndpoints', 'UpdateItem webhookEndpoints'],
  'webhook-endpoints/test': [
    'GetItem webhookEndpoints',
    'ConditionCheckItem webhookEndpoints',
    'PutItem webhookDeliveries',
    HINT,
  ],
  'webhook-endpoints/rewind': ['GetItem webhookEndpoints', 'UpdateItem webhookEndpoints', ...LISTS_EVENTS, HINT],
  'webhook-deliveries/list': ['Query webhookDeliveries/index/by_held_by'],
  'webhook-deliveries/retry': [
    ...[
      'GetItem webhookDeliveries',
      'UpdateItem webhookDeliveries',
      'BatchGetItem webhookEndpoints',
      'ConditionCheckItem webhookEndpoints',
    ],
    HINT,
  ],
  'workers/export': [
    ...['BatchGetItem exports', 'UpdateItem exports', 'UpdateItem counters', OUTBOX],
    ...['status', 'status_type', 'type'].map((filters) => `Query exports/index/by_${filters}`),
    ...EXPORTED,
    ...[`s3:PutObject ${FILES}`, `s3:GetObject ${FILES}`, 's3:ListBucket exportsbucket'],
    ...['sqs:SendMessage exports', ...consumes('exports')],
  ],
  'workers/publish-waiting-changes': [...DISPATCHES, 'Scan outbox', 'Scan webhookEndpoints'],
  'workers/reconcile': [
    ...['BatchGetItem exports', 'UpdateItem exports', 'UpdateItem counters', 'Query exports/index/by_due_at'],
    ...[`s3:AbortMultipartUpload ${FILES}`, 's3:ListBucketMultipartUploads exportsbucket', 'sqs:SendMessage exports'],
    ...[
      'BatchGetItem webhookDeliveries',
      'UpdateItem webhookDeliveries',
      'BatchGetItem webhookEndpoints',
      HINT,
      OUTBOX,
    ],
    ...['Query webhookDeliveries/index/by_due_at', 'Query webhookDeliveries/index/across_held_by'],
  ],
  // It may change endpoints and deliveries, and report the change of an endpoint, and nothing else.
  'workers/deliver': [
    ...LISTS_WEBHOOKS,
    'UpdateItem webhookEndpoints',
    ...LISTS_DELIVERIES,
    ...['PutItem webhookDeliveries', 'UpdateItem webhookDeliveries'],
    ...LISTS_EVENTS,
    ...['GetItem outbox', OUTBOX],
    ...[...consumes('deliveries'), HINT],
  ],
  'workers/publish-changes': [
    ...DISPATCHES,
    ...['DescribeStream outbox', 'GetRecords outbox', 'GetShardIterator outbox', 'ListStreams outbox/stream/*'],
  ],
  'workers/seal': [
    ...INDEXED.map(({ table }) => `Query ${table}`),
    ...['Query pages/index/by_due_at'],
    ...['Query pages', 'GetItem pages', 'UpdateItem pages', 'DeleteItem pages'],
  ],
};

/** The requests that change a resource without an event: only its place in the feed changes. */
const WITHOUT_EVENT: readonly string[] = ['webhook-endpoints/rewind'];

/** A 412 names the fields of events and of waiting changes (CONTRACT §7). */
const EXPLAINS = [...LISTS_EVENTS, 'GetItem outbox', 'Query outbox'];

/**
 * The grants of the commit of a request that writes: its record, if it has an Idempotency-Key; the changes of resources
 * (CONTRACT §14); and the conditions of all writes, which a dry run checks (CONTRACT §13).
 */
const commitOf = (file: string, endpoint: Operation, own: readonly string[]): string[] => {
  const written = own.flatMap((grant) => /^(?:Put|Update|Delete)Item (\w+)$/.exec(grant)?.[1] ?? []);
  const changesResource = entries.some(({ table, events }) => events && written.includes(table));
  const record = endpoint.idempotency ? ['PutItem', 'GetItem', 'ConditionCheckItem'] : [];
  return [
    ...record.map((action) => `${action} idempotency`),
    ...(changesResource && !WITHOUT_EVENT.includes(file) ? [OUTBOX] : []),
    ...written.map((table) => `ConditionCheckItem ${table}`),
  ];
};

const expectedGrants = (file: string): string[] => {
  const [folder, operation = ''] = file.split('/');
  const entry = entries.find(({ collection }) => collection === folder);
  const own = [...(REVIEWED[file] ?? [])];
  if (entry) own.push(...(REGULAR[operation] ?? []).map((action) => `${action} ${entry.table}`));
  if (entry && operation === 'list') own.push(...listOf(entry));
  if (entry?.isIndexed && ['list', 'delete'].includes(operation)) own.push(...PAGES);
  const endpoint = endpoints[file];
  const isWrite = endpoint && !isPublic(endpoint) && !endpoint.route.startsWith('GET ');
  const checksMember = isWrite && endpoint.route.includes('{') && entry?.events;
  const limit = endpoint && !isPublic(endpoint) ? LIMIT : [];
  const grants = [
    ...own,
    ...(checksMember ? EXPLAINS : []),
    ...(isWrite ? commitOf(file, endpoint, own) : []),
    ...limit,
  ];
  return [...new Set(grants)].sort();
};

describe('the roles of the functions', () => {
  test.each(Object.keys({ ...endpoints, ...workers }))('%s: has exactly the reviewed grants on data', (file) => {
    expect(dataGrantsOf(file)).toEqual(expectedGrants(file));
  });

  test('the reviewed grants: of existing functions', () => {
    expect(Object.keys({ ...endpoints, ...workers })).toEqual(expect.arrayContaining(Object.keys(REVIEWED)));
  });

  test('an endpoint with GET: may not write, except counts, the feed, and a list to ask for sealing [CONTRACT §5, §14, §16]', () => {
    const readers = Object.keys(endpoints).filter((file) => endpoints[file]?.route.startsWith('GET '));
    expect(readers.length).toBeGreaterThan(0);
    const writes = readers.flatMap((file) =>
      dataGrantsOf(file).flatMap((grant) =>
        /^((GetItem|BatchGetItem|Query|s3:GetObject) |UpdateItem limits$)/.test(grant) ? [] : [`${file}: ${grant}`],
      ),
    );
    const feed = ['DeleteItem outbox', 'PutItem events', 'PutItem outbox'].map((grant) => `events/list: ${grant}`);
    const lists = [...INDEXED.map(({ collection }) => `${collection}/list`), 'invoices/list-payments'];
    expect(writes.sort()).toEqual([...feed, ...lists.map((file) => `${file}: UpdateItem pages`)].sort());
  });

  test('every function: has a role of its own, which only Lambda may assume', () => {
    const roles = Object.values(functions).map(roleOf);
    expect(new Set(roles).size).toBe(roles.length);
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
