import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Product } from '#shared/platform/product.ts';

/** Where a store reads: the deployed names of the tables, and the client. */
export interface Engine {
  readonly client: DynamoDBDocumentClient;
  /** The deployed names of the tables. */
  readonly names: Readonly<Record<Product['table'], string>>;
  /** The name of the bucket that holds the accounts' files, for what reaches them. */
  readonly bucket?: string;
}
