import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { QueueName } from '#shared/invoicing/queues.ts';
import type { Collections } from '#shared/invoicing/stores.ts';
import { type TableName, tables } from '#shared/invoicing/tables.ts';
import { indexName, sharedHeldIndexName, type Table } from '#shared/platform/dynamodb/table.ts';
import { isWrite, type Operation } from '#shared/platform/endpoint.ts';
import type { Outbox } from '#shared/platform/events/outbox.ts';
import type { Counters } from '#shared/platform/store/counters.ts';
import { isConsumer, isStreamWorker, type Worker } from '#shared/platform/worker.ts';
import { changesResources, tablesOf } from '#shared/runtime/settings.ts';
import { fileStatements } from './file-grants.ts';
import type { DeployedQueues } from './queues.ts';
import { allow } from './statement.ts';
import type { DeployedTables } from './tables.ts';

export interface DeployedResources {
  readonly tables: DeployedTables;
  readonly queues: DeployedQueues;
  readonly bucket: Bucket;
}

type Declaration = Operation | Worker;

type StoreMethod =
  | { [S in keyof Collections]: keyof Collections[S] & string }[keyof Collections]
  | keyof Counters
  | keyof Outbox;

interface Actions {
  readonly table: readonly string[];
  readonly indexes?: readonly string[];
}

/** The DynamoDB actions of each store method. A transaction needs only the actions of its items. */
const storeActions: Readonly<Record<StoreMethod, Actions>> = {
  get: { table: ['GetItem'] },
  getReferenced: { table: ['GetItem'] },
  find: { table: ['BatchGetItem'] },
  findCommitted: { table: ['GetItem'] },
  list: { table: ['Query', 'BatchGetItem'], indexes: ['Query'] },
  walk: { table: ['Query', 'BatchGetItem'], indexes: ['Query'] },
  rows: { table: ['Query'] },
  insert: { table: ['PutItem'] },
  append: { table: ['PutItem'] },
  replace: { table: ['UpdateItem'] },
  checkVersion: { table: ['UpdateItem', 'ConditionCheckItem'] },
  check: { table: ['ConditionCheckItem'] },
  remove: { table: ['DeleteItem'] },
  move: { table: ['UpdateItem'] },
  pageIndex: { table: [] },
  moveCount: { table: ['UpdateItem'] },
  increment: { table: ['UpdateItem'] },
  decrement: { table: ['UpdateItem'] },
  readHead: { table: ['GetItem'] },
  publish: { table: ['Query', 'PutItem', 'DeleteItem'] },
};

/** The DynamoDB actions of methods of an indexed resource on the table of page indexes. A list may ask for sealing. */
const pageIndexActions: Readonly<Partial<Record<string, Actions>>> = {
  list: { table: ['Query', 'UpdateItem'] },
  remove: { table: ['Query', 'UpdateItem'] },
  pageIndex: { table: ['Query', 'GetItem', 'UpdateItem', 'DeleteItem'] },
};

/** The commit puts the record. A request whose condition failed reads the record of its duplicate. */
const RECORD_ACTIONS: Actions = { table: ['PutItem', 'GetItem'] };

/** A commit puts the changes of resources into the outbox. */
const OUTBOX_ACTIONS: Actions = { table: ['PutItem'] };

const READ_ACTIONS = ['GetItem', 'BatchGetItem', 'Query'];

/** A dry run checks the condition of each write (CONTRACT §13). */
const DRY_RUN_ACTIONS: Actions = { table: ['ConditionCheckItem'] };

const tableActions = (declared: Declaration, table: TableName): readonly Actions[] => {
  if (table === 'idempotency') return [RECORD_ACTIONS, DRY_RUN_ACTIONS];
  const used = table === 'pages' ? actionsOnPageIndex(declared) : methodsOf(declared, table).map(actionsOf);
  if (table === 'outbox') return changesResources(declared) ? [...used, OUTBOX_ACTIONS] : used;
  const writes = used.some(({ table: actions }) => actions.some((action) => !READ_ACTIONS.includes(action)));
  return 'route' in declared && isWrite(declared) && writes ? [...used, DRY_RUN_ACTIONS] : used;
};

const methodsOf = ({ uses }: Declaration, table: TableName): readonly StoreMethod[] => Reflect.get(uses, table) ?? [];

const actionsOf = (method: StoreMethod): Actions => storeActions[method];

const actionsOnPageIndex = (declared: Declaration): Actions[] =>
  Object.entries<Table>(tables)
    .filter(([, { isIndexed }]) => isIndexed)
    .flatMap(([table]) => methodsOf(declared, table as TableName))
    .flatMap((method) => pageIndexActions[method] ?? []);

const tableStatements = (declared: Declaration, deployed: DeployedTables): PolicyStatement[] =>
  tablesOf(declared).flatMap((table) => {
    const { tableArn } = deployed[table];
    const needed = tableActions(declared, table);
    const indexes = tables[table].indexes.map((attributes) => `${tableArn}/index/${indexName(attributes)}`);
    return [...allow('dynamodb', needed, 'table', [tableArn]), ...allow('dynamodb', needed, 'indexes', indexes)];
  });

const usesOf = ({ uses }: Declaration): Worker['uses'] => uses;

/** Statements for queries across accounts: the indexes of due and of held rows, and scans. */
const crossAccountStatements = (declared: Declaration, deployed: DeployedTables): PolicyStatement[] => {
  const { across = [] } = usesOf(declared);
  const indexes = tablesOf(declared).flatMap((table) => {
    const { due, held }: Table = tables[table];
    const names = [
      ...(due && across.includes('due') ? [indexName([due])] : []),
      ...(held && across.includes('held') ? [sharedHeldIndexName(held)] : []),
    ];
    return names.map((name) => `${deployed[table].tableArn}/index/${name}`);
  });
  const scans = [
    ...(across.includes('waiting') ? [deployed.outbox.tableArn] : []),
    ...(across.includes('accounts') ? [deployed.webhookEndpoints.tableArn] : []),
  ];
  return [
    ...allow('dynamodb', [{ index: ['Query'] }], 'index', indexes),
    ...allow('dynamodb', [{ table: ['Scan'] }], 'table', scans),
  ];
};

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

/** The least privileges of a function: the actions of the methods in its `uses`, on the resources that it uses (§5). */
export const grantsOf = (declared: Declaration, { tables, queues, bucket }: DeployedResources): PolicyStatement[] => [
  ...tableStatements(declared, tables),
  ...crossAccountStatements(declared, tables),
  ...streamStatements(declared, tables),
  ...fileStatements(usesOf(declared), bucket),
  ...queueStatements(declared, queues),
];
