import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { tables } from '#shared/invoicing/tables.ts';
import { indexesOf, type Table } from '#shared/platform/dynamodb/table.ts';
import type { Environment } from '#shared/runtime/settings.ts';

export const tableVariables = (): Record<string, string> =>
  Object.fromEntries(Object.entries(tables).map(([name, { variable }]) => [variable, name]));

/** The definition of the deployed table, for CreateTable. */
export const definition = (TableName: string, table: Table): CreateTableCommandInput => {
  const { partition, sort, type = 'N' } = table.key;
  const indexes = indexesOf(table);
  const keys = (hash: string, range: string | undefined) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    ...(range ? [{ AttributeName: range, KeyType: 'RANGE' as const }] : []),
  ];
  const types = new Map<string | undefined, 'S' | 'N'>([
    [partition, 'S'],
    [sort, type],
    ...indexes.flatMap((index) => [[index.partition, 'S'] as const, [index.sort, index.type] as const]),
  ]);
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    ...(table.hasStream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' as const } }),
    KeySchema: keys(partition, sort),
    AttributeDefinitions: [...types].flatMap(([AttributeName, AttributeType]) =>
      AttributeName === undefined ? [] : { AttributeName, AttributeType },
    ),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.name,
        KeySchema: keys(index.partition, index.sort),
        Projection: { ProjectionType: 'KEYS_ONLY' as const },
      })),
    }),
  };
};

const create = async (client: DynamoDBClient, name: string, table: Table): Promise<void> => {
  await client.send(new CreateTableCommand(definition(name, table)));
  if (!table.expiry) return;
  const TimeToLiveSpecification = { AttributeName: table.expiry, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
};

/** @param names names of the tables by their variables */
export const createTables = async (endpoint: string, names: Environment = tableVariables()): Promise<void> => {
  const client = new DynamoDBClient({ endpoint });
  try {
    for (const table of Object.values<Table>(tables)) {
      await create(client, names[table.variable] as string, table).catch((error) => {
        if (!(error instanceof ResourceInUseException)) throw error;
      });
    }
  } finally {
    client.destroy();
  }
};
