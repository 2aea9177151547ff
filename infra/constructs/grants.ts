import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Collections } from '#shared/invoicing/stores.ts';
import { type TableName, tables } from '#shared/invoicing/tables.ts';
import { tablesOf } from '#shared/lambda/settings.ts';
import type { Counters } from '#shared/platform/data/counters.ts';
import type { CrossAccountQueries } from '#shared/platform/data/cross-account-queries.ts';
import type { Files } from '#shared/platform/data/files.ts';
import type { PresignedDownloads } from '#shared/platform/data/presigned-downloads.ts';
import { indexName, type Table } from '#shared/platform/data/table.ts';
import type { Operation } from '#shared/platform/endpoint.ts';
import { isConsumer, type Worker } from '#shared/platform/worker.ts';
import type { DeployedQueues } from './queues.ts';
import type { Deployed } from './tables.ts';

/** What is deployed for functions to reach. */
export interface Reachable {
  readonly tables: Deployed;
  readonly queues: DeployedQueues;
  /** Of the accounts' files. */
  readonly bucket: Bucket;
}

type Declared = Operation | Worker;

/** A method of a store. */
type Verb = { [S in keyof Collections]: keyof Collections[S] & string }[keyof Collections] | keyof Counters;

/** Actions of DynamoDB: on the table, and on its indexes. */
interface Actions {
  readonly table: readonly string[];
  readonly indexes?: readonly string[];
}

/** What a store sends for each of its methods. A transaction asks for the actions of its items, and no more. */
const verbs: Readonly<Record<Verb, Actions>> = {
  get: { table: ['GetItem'] },
  getReferenced: { table: ['GetItem'] },
  find: { table: ['BatchGetItem'] },
  list: { table: ['Query', 'BatchGetItem'], indexes: ['Query'] },
  rows: { table: ['Query'] },
  insert: { table: ['PutItem'] },
  replace: { table: ['UpdateItem'] },
  checkVersion: { table: ['UpdateItem', 'ConditionCheckItem'] },
  remove: { table: ['DeleteItem'] },
  deleteUnread: { table: ['DeleteItem'] },
  moveCount: { table: ['UpdateItem'] },
  increment: { table: ['UpdateItem'] },
  decrement: { table: ['UpdateItem'] },
};

/** The commit puts the record of an answer; a refused request looks for its twin's. */
const RECORD: Actions = { table: ['PutItem', 'GetItem'] };

/** Actions of S3: on every object of the bucket, and on the bucket. */
interface FileActions {
  readonly objects?: readonly string[];
  readonly bucket?: readonly string[];
}

/** S3 says that an object is not there only to whoever may list the bucket; to others it says 403. */
const READ: FileActions = { objects: ['GetObject'], bucket: ['ListBucket'] };
const WRITE: FileActions = { objects: ['PutObject'] };

const fileVerbs: Readonly<Record<keyof Files, readonly FileActions[]>> = {
  put: [WRITE],
  read: [READ],
  beginUpload: [WRITE],
  uploadPart: [WRITE],
  completeUpload: [WRITE, READ],
  abortUpload: [{ objects: ['AbortMultipartUpload'] }],
};

/** Whoever has an address may do what the role that signed it may. */
const downloadVerbs: Readonly<Record<keyof PresignedDownloads, readonly FileActions[]>> = {
  url: [{ objects: ['GetObject'] }],
};

const acrossVerbs: Readonly<Record<keyof CrossAccountQueries, readonly FileActions[]>> = {
  due: [],
  uploads: [{ bucket: ['ListBucketMultipartUploads'] }],
};

/** The actions of some methods on one kind of resource, each once, as one statement if there are any. */
const allow = <K extends string>(
  prefix: string,
  needed: readonly { readonly [on in K]?: readonly string[] }[],
  on: K,
  resources: string[],
): PolicyStatement[] => {
  const actions = new Set(needed.flatMap((each) => each[on] ?? []));
  if (actions.size === 0 || resources.length === 0) return [];
  return [new PolicyStatement({ actions: [...actions].map((action) => `${prefix}:${action}`), resources })];
};

const needs = ({ uses }: Declared, table: TableName): readonly Actions[] =>
  table === 'idempotency' ? [RECORD] : (uses[table] ?? []).map((verb) => verbs[verb]);

const onTables = (declared: Declared, deployed: Deployed): PolicyStatement[] =>
  tablesOf(declared).flatMap((table) => {
    const { tableArn } = deployed[table];
    const needed = needs(declared, table);
    const indexes = tables[table].indexes.map((attributes) => `${tableArn}/index/${indexName(attributes)}`);
    return [...allow('dynamodb', needed, 'table', [tableArn]), ...allow('dynamodb', needed, 'indexes', indexes)];
  });

const usesOf = ({ uses }: Declared): Worker['uses'] => uses;

/** The indexes of due rows, which are queried across accounts. */
const onDue = (declared: Declared, deployed: Deployed): PolicyStatement[] => {
  const needed = usesOf(declared).across?.includes('due') ? [{ index: ['Query'] }] : [];
  const indexes = tablesOf(declared).flatMap((table) => {
    const { due }: Table = tables[table];
    return due ? [`${deployed[table].tableArn}/index/${indexName([due])}`] : [];
  });
  return allow('dynamodb', needed, 'index', indexes);
};

const onFiles = (declared: Declared, bucket: Bucket): PolicyStatement[] => {
  const { files = [], downloads = [], across = [] } = usesOf(declared);
  const needed = [
    ...files.map((verb) => fileVerbs[verb]),
    ...downloads.map((verb) => downloadVerbs[verb]),
    ...across.map((verb) => acrossVerbs[verb]),
  ].flat();
  return [
    ...allow('s3', needed, 'objects', [bucket.arnForObjects('*')]),
    ...allow('s3', needed, 'bucket', [bucket.bucketArn]),
  ];
};

/** Lambda receives and deletes in the worker's name; a message that waits for another attempt, it delays itself. */
const CONSUMES = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'];

const onQueues = (declared: Declared, queues: DeployedQueues): PolicyStatement[] => {
  const { sendsTo } = declared;
  const takes = 'trigger' in declared && isConsumer(declared) ? declared.trigger.queue : undefined;
  const allowed = (queue: typeof sendsTo, actions: string[]) =>
    queue ? allow('sqs', [{ queue: actions }], 'queue', [queues[queue].queue.queueArn]) : [];
  return [...allowed(sendsTo, ['SendMessage']), ...allowed(takes, CONSUMES)];
};

/** The statements for a function: what the methods it names ask of what is deployed, and nothing else (§5). */
export const grantsOf = (declared: Declared, { tables, queues, bucket }: Reachable): PolicyStatement[] => [
  ...onTables(declared, tables),
  ...onDue(declared, tables),
  ...onFiles(declared, bucket),
  ...onQueues(declared, queues),
];
