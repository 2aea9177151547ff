import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { tables } from '#shared/invoicing/tables.ts';
import { type Method, methodsOf, READ_ACTIONS } from '#shared/platform/declarations/store-methods.ts';
import { isConsumer, isStreamWorker, type Worker } from '#shared/platform/declarations/worker.ts';
import { createIndex, dueIndex, type Table } from '#shared/platform/dynamodb/table.ts';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { StoreTable } from '#shared/platform/store/store.ts';
import { changesResources, tablesOf } from '#shared/runtime/settings.ts';
import type { QueueName, TableName } from '#shared/vocabulary.ts';
import type { DeployedQueues } from './queues.ts';
import { allow } from './statement.ts';
import type { DeployedTables } from './tables.ts';

export interface DeployedResources {
  readonly tables: DeployedTables;
  readonly queues: DeployedQueues;
  readonly bucket: Bucket;
}

type Declaration = Operation | Worker;

/** The least privileges of a function: the actions of the methods in its `uses`, on the resources that it uses (§5). */
export const grantsOf = (declared: Declaration, { tables, queues, bucket }: DeployedResources): PolicyStatement[] => [
  ...tablesOf(declared).flatMap((table) => tableStatements(table, declared, tables)),
  ...streamStatements(declared, tables),
  ...fileStatements(declared, bucket),
  ...queueStatements(declared, queues),
];

const tableStatements = (name: TableName, declared: Declaration, deployed: DeployedTables): PolicyStatement[] => {
  const { tableArn } = deployed[name];
  const { due }: Table = tables[name];
  const needed = neededOn(name, declared);
  const queried = queriedIndexes(name, declared);
  const allowOn = (kind: 'indexes' | 'due', names: readonly string[]) =>
    allow(
      'dynamodb',
      needed,
      kind,
      names.map((index) => `${tableArn}/index/${index}`),
    );
  return [
    ...allow(
      'dynamodb',
      queried.length > 0 ? needed.flatMap((one) => [one, { table: one.selected ?? [] }]) : needed,
      'table',
      [tableArn],
    ),
    ...allowOn('indexes', queried),
    ...allowOn('due', due ? [dueIndex(due).name] : []),
  ];
};

/** A list may query an index before a filter reads it: the deployment of the filter needs no new grant. */
const queriedIndexes = (name: TableName, declared: Declaration): string[] => {
  const indexes = tables[name].indexes.map((index) => index.name);
  const selection = declared.selectsBy?.[name];
  if (!selection) return 'route' in declared && declared.list && declared.resource?.table === name ? indexes : [];
  const own = createIndex(selection.filters, selection.by).name;
  if (!indexes.includes(own)) throw new Error(`The table ${name} has no index ${own}.`);
  return [own];
};

/** The commit puts the record. A request whose condition failed reads the record of its duplicate. */
const RECORD: Method = { table: ['PutItem', 'GetItem'] };

/** A commit puts the changes of resources into the outbox. */
const OUTBOX: Method = { table: ['PutItem'] };

/** A dry run checks the condition of each write (CONTRACT §13). */
const DRY_RUN: Method = { table: ['ConditionCheckItem'] };

/** An operation counts its requests (CONTRACT §16). */
const LIMIT: Method = { table: ['GetItem', 'UpdateItem'] };

const SCAN: Method = { table: ['Scan'] };

const neededOn = (name: TableName, declared: Declaration): Pick<Method, 'table' | 'indexes' | 'selected' | 'due'>[] => {
  if (name === 'idempotency') return [RECORD, DRY_RUN];
  if (name === 'limits') return [LIMIT];
  const used =
    name === 'pages'
      ? usedOnPages(declared)
      : name === 'uniqueValues'
        ? usedOnUniqueValues(declared)
        : methodsOf(declared, name);
  const writes = used.some(({ table = [] }) => table.some((action) => !READ_ACTIONS.includes(action)));
  const across = methodsOf(declared, 'across');
  return [
    ...used,
    // A worker changes the due rows that it finds.
    ...across.map(({ due = [] }) => ({ due: writes ? due : [] })),
    ...across.flatMap(({ scans }) => (scans === name ? [SCAN] : [])),
    ...('route' in declared && declared.isWrite && writes ? [DRY_RUN] : []),
    ...(name === 'outbox' && changesResources(declared) ? [OUTBOX] : []),
  ];
};

/** A list of all members reads pages by number. */
const usedOnPages = (declared: Declaration): Method[] =>
  Object.entries<Table>(tables)
    .filter(([, { isIndexed }]) => isIndexed)
    .flatMap(([table]) =>
      methodsOf(declared, table).map(({ pages = [], numberedPages = [] }) => ({
        table: 'list' in declared && !declared.selectsBy?.[table as TableName] ? [...pages, ...numberedPages] : pages,
      })),
    );

const usedOnUniqueValues = (declared: Declaration): Method[] =>
  Object.entries<Omit<StoreTable, 'name'>>(tables).flatMap(([table, { unique }]) =>
    methodsOf(declared, table).map((method) => ({
      table: [...((unique && method.unique) ?? []), ...((unique?.lookups && method.lookups) ?? [])],
    })),
  );

/** Lambda reads the stream with the worker's role. */
const streamStatements = (declared: Declaration, deployed: DeployedTables): PolicyStatement[] => {
  if (!('trigger' in declared && isStreamWorker(declared))) return [];
  const { tableArn, tableStreamArn } = deployed[declared.trigger.insertsInto];
  const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
  return [
    ...allow('dynamodb', [{ stream: actions }], 'stream', [tableStreamArn as string]),
    ...allow('dynamodb', [{ streams: ['ListStreams'] }], 'streams', [`${tableArn}/stream/*`]),
  ];
};

const fileStatements = (declared: Declaration, bucket: Bucket): PolicyStatement[] => {
  const needed = ['files', 'downloads', 'across'].flatMap((store) => methodsOf(declared, store));
  return [
    ...allow('s3', needed, 'objects', [bucket.arnForObjects('*')]),
    ...allow('s3', needed, 'bucket', [bucket.bucketArn]),
  ];
};

/**
 * Lambda receives and deletes messages with the worker's role. The worker itself delays the next attempt of a message.
 */
const CONSUMER_ACTIONS = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'];

const queueStatements = (declared: Declaration, queues: DeployedQueues): PolicyStatement[] => {
  const sendsTo = [declared.sendsTo ?? []].flat();
  const takes = 'trigger' in declared && isConsumer(declared) ? declared.trigger.queue : undefined;
  const allowed = (names: readonly QueueName[], actions: string[]) =>
    allow(
      'sqs',
      [{ queue: actions }],
      'queue',
      names.map((name) => queues[name].queue.queueArn),
    );
  return [...allowed(sendsTo, ['SendMessage']), ...allowed(takes ? [takes] : [], CONSUMER_ACTIONS)];
};
