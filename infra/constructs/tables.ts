import {
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  type TablePropsV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { Settings } from '#infra/settings/settings.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { indexesOf, type Table } from '#shared/platform/dynamodb/table.ts';
import type { TableName } from '#shared/vocabulary.ts';

export type DeployedTables = Readonly<Record<TableName, TableV2>>;

type Keys = Pick<TablePropsV2, 'partitionKey' | 'sortKey'>;

const keys = (partition: string, sort: string | undefined, type: 'S' | 'N' = 'N'): Keys => ({
  partitionKey: { name: partition, type: AttributeType.STRING },
  ...(sort && { sortKey: { name: sort, type: type === 'S' ? AttributeType.STRING : AttributeType.NUMBER } }),
});

const definition = (table: Table): TablePropsV2 => ({
  ...keys(table.key.partition, table.key.sort, table.key.type),
  ...(table.expiry && { timeToLiveAttribute: table.expiry }),
  ...(table.hasStream && { dynamoStream: StreamViewType.KEYS_ONLY }),
  globalSecondaryIndexes: indexesOf(table).map(({ name, partition, sort, type }) => ({
    indexName: name,
    ...keys(partition, sort, type),
    projectionType: ProjectionType.KEYS_ONLY,
  })),
});

/** Sets the key in the template: TableV2 accepts a key only in a stack with a fixed region, because of replicas. */
const encrypt = (table: TableV2, { keyArn }: IKey): void => {
  const resource = table.node.defaultChild as CfnGlobalTable;
  resource.addPropertyOverride('SSESpecification.SSEType', 'KMS');
  resource.addPropertyOverride('Replicas.0.SSESpecification.KMSMasterKeyId', keyArn);
};

/**
 * Creates the tables of shared/invoicing/tables.ts. A stage that keeps its data gets backups and deletion protection.
 * @param key the stage's own key; by default the account's AWS-managed key for DynamoDB, whose use CloudTrail records
 */
export const createTables = (scope: Construct, { keepsData, removalPolicy }: Settings, key?: IKey): DeployedTables => {
  const created = Object.entries<Table>(tables).map(([name, table]) => {
    const deployed = new TableV2(scope, `${name}-table`, {
      ...definition(table),
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: keepsData },
      deletionProtection: keepsData,
      removalPolicy,
    });
    if (key) encrypt(deployed, key);
    return [name, deployed];
  });
  return Object.fromEntries(created) as DeployedTables;
};
