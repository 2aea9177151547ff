import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  ListTablesCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { indexName, type Table, tables } from '#shared/data/tables.ts';

/** The variables that name the tables, for an environment where each is called by its noun. */
export const tableVariables = (): Record<string, string> =>
  Object.fromEntries(Object.entries(tables).map(([name, { variable }]) => [variable, name]));

const definition = (TableName: string, table: Table): CreateTableCommandInput => {
  const { partition, sort } = table.key;
  const indexes = table.indexes.map(indexName);
  const keys = (hash: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    ...(sort ? [{ AttributeName: sort, KeyType: 'RANGE' as const }] : []),
  ];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keys(partition),
    AttributeDefinitions: [
      ...[partition, ...indexes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
      ...(sort ? [{ AttributeName: sort, AttributeType: 'N' as const }] : []),
    ],
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((IndexName) => ({
        IndexName,
        KeySchema: keys(IndexName),
        Projection: { ProjectionType: 'KEYS_ONLY' as const },
      })),
    }),
  };
};

/** Creates the tables that an engine lacks, as they are deployed. */
export const createTables = async (endpoint: string): Promise<void> => {
  const client = new DynamoDBClient({ endpoint });
  const { TableNames = [] } = await client.send(new ListTablesCommand());
  const missing = Object.entries<Table>(tables).filter(([name]) => !TableNames.includes(name));
  for (const [name, table] of missing) {
    await client.send(new CreateTableCommand(definition(name, table)));
    if (!table.expiry) continue;
    const TimeToLiveSpecification = { AttributeName: table.expiry, Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  }
  client.destroy();
};
