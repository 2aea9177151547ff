import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableName } from './tables.ts';

/** Where a store reads: the deployed names of the tables, and the client. */
export interface Engine {
  readonly client: DynamoDBDocumentClient;
  readonly names: Readonly<Record<TableName, string>>;
  /** The name of the bucket that holds the accounts' files, for what reaches them. */
  readonly bucket?: string;
}
