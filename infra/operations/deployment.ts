import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { BUCKET_VARIABLE, queues } from '#shared/invoicing/queues.ts';
import { tables } from '#shared/invoicing/tables.ts';
import type { Environment } from '#shared/runtime/settings.ts';
import { clients } from '#shared/runtime/worker-runtime.ts';
import type { QueueName, TableName } from '#shared/vocabulary.ts';
import { OperationError } from './operation-error.ts';
import { readStack, type StackResource, stackNameOf } from './stacks.ts';

/** The data of a deployed stage, or of a running `npm start`. */
export interface Deployment extends ReturnType<typeof clients> {
  /** `invoicing-prod`, or `npm start`. */
  readonly name: string;
  readonly region: string;
  readonly tableNames: Readonly<Record<TableName, string>>;
  readonly bucket: string;
  readonly queueUrls: Readonly<Record<QueueName, string>>;
  close(): void;
}

type Names = Pick<Deployment, 'name' | 'region' | 'tableNames' | 'bucket' | 'queueUrls'>;

const LOCAL = 'npm start';

const TABLE_NAMES = Object.keys(tables) as TableName[];
const QUEUE_NAMES = Object.keys(queues) as QueueName[];

/**
 * Opens the data of a stage with the operator's credentials; without a stage, the data of `npm start`.
 * @throws OperationError for an unknown stage, a stack without data, or a server that does not run
 */
export const openDeployment = async (stage: string | undefined): Promise<Deployment> =>
  stage === undefined ? openLocal() : openStack(stackNameOf(stage));

/** Opens the data as {@link openDeployment} does, and closes it after the act. */
export const withDeployment = async <T>(
  stage: string | undefined,
  act: (deployment: Deployment) => Promise<T>,
): Promise<T> => {
  const deployment = await openDeployment(stage);
  try {
    return await act(deployment);
  } finally {
    deployment.close();
  }
};

const open = (names: Names): Deployment => {
  const opened = clients();
  return {
    ...names,
    ...opened,
    close() {
      for (const client of Object.values(opened)) client.destroy();
    },
  };
};

const byName = <Name extends string, T>(names: readonly Name[], read: (name: Name) => T): Record<Name, T> =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, T>;

/**
 * The names of a stack's resources. CDK derives a logical id from the id of the construct, and appends a hash.
 * @throws OperationError when the stack lacks a resource
 */
export const namesIn = (resources: readonly StackResource[]): Pick<Names, 'tableNames' | 'bucket' | 'queueUrls'> => {
  const find = (type: string, construct: string): string => {
    const pattern = new RegExp(`^${construct.replaceAll('-', '')}[0-9A-F]{8}$`);
    const found = resources.find((each) => each.type === type && pattern.test(each.logical));
    if (!found) throw new OperationError(`The stack has no ${construct}. Deploy this version first.`);
    return found.physical;
  };
  return {
    tableNames: byName(TABLE_NAMES, (table) => find('AWS::DynamoDB::GlobalTable', `${table}-table`)),
    bucket: find('AWS::S3::Bucket', 'exports-bucket'),
    queueUrls: byName(QUEUE_NAMES, (queue) => find('AWS::SQS::Queue', `${queue}-queue`)),
  };
};

const openStack = async (name: string): Promise<Deployment> => {
  const { region, resources } = await readStack(name);
  // The SDK reads the region of its clients from this variable.
  process.env['AWS_REGION'] = region;
  return open({ name, region, ...namesIn(resources) });
};

const DEFAULT_DIRECTORY = fileURLToPath(new URL('../../.local', import.meta.url));
const IN_MEMORY = ':memory:';

/** Reads the addresses and keys that `npm start` has written for its directory (docs/development.md, Local data). */
const openLocal = async (): Promise<Deployment> => {
  const { DATA_DIR } = process.env;
  const directory = DATA_DIR && DATA_DIR !== IN_MEMORY ? resolve(DATA_DIR) : DEFAULT_DIRECTORY;
  const isStopped = (cause: unknown) =>
    new OperationError(`npm start does not run with the data in ${directory}. Start it, or name a --stage.`, { cause });
  const file = await readFile(join(directory, 'engines.env'), 'utf8').catch((error) => {
    throw isStopped(error);
  });
  // With a profile, the SDK would ignore the keys of the engines.
  delete process.env['AWS_PROFILE'];
  for (const [, name, value] of file.matchAll(/^export (\w+)='(.*)'$/gm)) process.env[name as string] = value;
  const environment: Environment = process.env;
  const names = {
    name: LOCAL,
    region: environment['AWS_REGION'] as string,
    tableNames: byName(TABLE_NAMES, (table) => environment[tables[table].variable] || table),
    bucket: environment[BUCKET_VARIABLE] || 'exports',
  };
  const { sqs, ...others } = clients();
  const urlOf = async (QueueName: QueueName) => {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
    return [QueueName, new URL(new URL(QueueUrl as string).pathname, environment['AWS_ENDPOINT_URL_SQS']).href];
  };
  try {
    const queueUrls = Object.fromEntries(await Promise.all(QUEUE_NAMES.map(urlOf)));
    return open({ ...names, queueUrls });
  } catch (error) {
    throw isStopped(error);
  } finally {
    for (const client of [sqs, ...Object.values(others)]) client.destroy();
  }
};
