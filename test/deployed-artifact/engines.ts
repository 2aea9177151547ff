import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { startDynamo } from '#local/engines/dynamodb.ts';
import { createTables } from '#local/engines/tables.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import type { Resource } from '#test/infra/synthesis/deployment.ts';
import { type QueueAndFiles, startTestQueueAndFiles } from '#test/support/engine/queue-and-files.ts';

type Resources = Readonly<Record<string, Resource>>;

/** The local engines that replace AWS around the functions. */
export interface Engines extends Pick<QueueAndFiles, 'receive'> {
  /** The SDK's endpoint variables; a function gets the variables that it declares. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly client: DynamoDBDocumentClient;
  /** The keys that the engines accept. */
  readonly keys: Readonly<Record<string, string>>;
  /**
   * The value of a resource's `Ref`.
   * @throws Error for a type that no engine serves
   */
  reference(id: string, resource: Resource): string;
  /** Creates the tables of the resources; returns their names by the variables that hold them. */
  create(resources: Resources): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

const TABLE = 'AWS::DynamoDB::GlobalTable';

/** The names of the tables, by the variables of functions that hold them. */
const tableNames = (resources: Resources): Record<string, string> => {
  const lambdas = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const variables = lambdas.flatMap(({ Properties }) => Object.entries(Properties['Environment']?.Variables ?? {}));
  return Object.fromEntries(
    variables.flatMap(([name, value]) => {
      const { Ref } = value as { Ref?: string };
      return Ref && resources[Ref]?.Type === TABLE ? [[name, Ref]] : [];
    }),
  );
};

/** Starts the local engines, with one queue and one bucket; tables are named by their logical ids. */
export const startEngines = async (): Promise<Engines> => {
  const engine = await startDynamo();
  const { endpoint, queueUrl, bucket, receive, stop } = await startTestQueueAndFiles();
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
  const client = createDynamoClient();
  return {
    addresses: {
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_ENDPOINT_URL_SQS: endpoint,
      AWS_ENDPOINT_URL_S3: endpoint,
    },
    client,
    keys: { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
    receive,
    reference: (id, { Type }) => {
      const value = { [TABLE]: id, 'AWS::SQS::Queue': queueUrl, 'AWS::S3::Bucket': bucket }[Type];
      if (value === undefined) throw new Error(`No local engine serves ${id}, a ${Type}.`);
      return value;
    },
    async create(resources) {
      const names = tableNames(resources);
      await createTables(engine.endpoint, names);
      return names;
    },
    async stop() {
      client.destroy();
      await Promise.all([engine.stop(), stop()]);
    },
  };
};
