import {
  AttributeType,
  Billing,
  ProjectionType,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { indexesOf, type Table, type TableName, tables } from '#shared/data/tables.ts';
import type { Settings } from './stage.ts';

/** The tables as they are deployed. */
export type Deployed = Readonly<Record<TableName, TableV2>>;

type Keys = Pick<TablePropsV2, 'partitionKey' | 'sortKey'>;

/** Partitions are texts, sort keys numbers. */
const keys = (partition: string, sort: string | undefined): Keys => ({
  partitionKey: { name: partition, type: AttributeType.STRING },
  ...(sort && { sortKey: { name: sort, type: AttributeType.NUMBER } }),
});

const definition = (table: Table): TablePropsV2 => ({
  ...keys(table.key.partition, table.key.sort),
  ...(table.expiry && { timeToLiveAttribute: table.expiry }),
  globalSecondaryIndexes: indexesOf(table).map(({ name, sort }) => ({
    indexName: name,
    ...keys(name, sort),
    projectionType: ProjectionType.KEYS_ONLY,
  })),
});

/** Creates the tables of shared/data/tables.ts: on demand, encrypted, and in a stage that keeps data, hard to lose. */
export const createTables = (scope: Construct, { keepsData, removalPolicy }: Settings): Deployed => {
  const created = Object.entries<Table>(tables).map(([name, table]) => [
    name,
    new TableV2(scope, `${name}-table`, {
      ...definition(table),
      billing: Billing.onDemand(),
      // The account's key of DynamoDB, not the one AWS shares: its use shows in CloudTrail. It asks no grant of a role.
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keepsData },
      deletionProtection: keepsData,
      removalPolicy,
    }),
  ]);
  return Object.fromEntries(created) as Deployed;
};
