import type { Product } from '#shared/platform/product.ts';

/**
 * A table, as data: CDK deploys it, the local runtime creates it, the stores read it. A partition is an account, so
 * every key carries the tenant (§5).
 */
export interface Table {
  /** The environment variable that holds the deployed table's name. */
  readonly variable: string;
  /** What one row is, in words. */
  readonly noun: string;
  readonly key: { readonly partition: string; readonly sort?: string };
  /** Sparse, keys-only indexes, one for each combination of attributes that a collection is filtered by. */
  readonly indexes: readonly (readonly string[])[];
  /** The attribute that DynamoDB's TTL reads, in epoch seconds. */
  readonly expiry?: string;
  /**
   * An attribute that holds a time, in epoch milliseconds, by which the rows that have it are found across accounts:
   * a sparse, keys-only index of one partition.
   */
  readonly due?: string;
}

/** A table with the name by which the product calls it. */
export type NamedTable = Table & { readonly name: Product['table'] };

/** The partition of every row of an index of due rows. */
export const DUE = 'due';

/** An index and its partition key attribute share one name: `by_customer_id_status`. */
export const indexName = (attributes: readonly string[]): string => `by_${attributes.join('_')}`;

/** Every index of a table: its name, which is its partition key's, and its sort key, a number. */
export const indexesOf = ({ key, indexes, due }: Table): { name: string; sort: string | undefined }[] => [
  ...indexes.map((attributes) => ({ name: indexName(attributes), sort: key.sort })),
  ...(due ? [{ name: indexName([due]), sort: due }] : []),
];
