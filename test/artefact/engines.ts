import { startDynamo } from '#local/engine.ts';
import { createTables } from '#local/tables.ts';
import type { Resource } from './synthesized.ts';

process.env['AWS_REGION'] ??= 'local';
process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';

/** What stands in for AWS around the functions. */
export interface Engines {
  /** The variables that lead the SDK to them; a function gets those that it declares. */
  readonly addresses: Readonly<Record<string, string>>;
  /**
   * What the `Ref` of a resource is worth.
   * @throws Error for a type that no engine serves
   */
  reference(id: string, resource: Resource): string;
  /** Creates what the resources describe. */
  create(resources: Readonly<Record<string, Resource>>): Promise<void>;
  stop(): Promise<void>;
}

const TABLE = 'AWS::DynamoDB::GlobalTable';

/** By each variable of a function that holds a table's name, that name. */
const tableNames = (resources: Readonly<Record<string, Resource>>): Record<string, string> => {
  const lambdas = Object.values(resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const variables = lambdas.flatMap(({ Properties }) => Object.entries(Properties['Environment']?.Variables ?? {}));
  return Object.fromEntries(
    variables.flatMap(([name, value]) => {
      const { Ref } = value as { Ref?: string };
      return Ref && resources[Ref]?.Type === TABLE ? [[name, Ref]] : [];
    }),
  );
};

/** Starts the local engines. */
export const startEngines = async (): Promise<Engines> => {
  const dynamo = await startDynamo();
  return {
    addresses: { AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint },
    reference: (id, { Type }) => {
      if (Type === TABLE) return id;
      throw new Error(`No engine serves ${id}, a ${Type}.`);
    },
    create: (resources) => createTables(dynamo.endpoint, tableNames(resources)),
    stop: () => dynamo.stop(),
  };
};
