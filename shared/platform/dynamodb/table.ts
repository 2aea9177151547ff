import type { Subject } from '#shared/platform/events/change.ts';
import type { Product } from '#shared/platform/product.ts';

/** The partition key is the account, so every key names the tenant (§5). */
export interface Table {
  readonly variable: string;
  readonly noun: string;
  /** Present for a resource whose changes become events (CONTRACT §14). */
  readonly subject?: Subject;
  readonly key: { readonly partition: string; readonly sort?: string };
  /** Sparse, keys-only indexes: one for each combination of attributes that lists filter by. */
  readonly indexes: readonly (readonly string[])[];
  /** Whether a page index counts its rows (shared/platform/page-index/leaves.ts). */
  readonly isIndexed?: true;
  /** The attribute that DynamoDB's TTL reads, in epoch seconds. */
  readonly expiry?: string;
  /** An attribute in epoch milliseconds. A sparse, keys-only index finds all accounts' due rows. */
  readonly due?: string;
  /**
   * An attribute with the id of the resource that a row waits for. One sparse, keys-only index finds the rows of an
   * account that wait for a resource. A second index finds the resources that rows of all accounts wait for.
   */
  readonly held?: string;
  /** Whether a worker receives its inserted rows. */
  readonly hasStream?: true;
}

export type NamedTable = Table & { readonly name: Product['table'] };

/**
 * The partitions of an index of all accounts' rows. The writes are divided, because DynamoDB limits the writes per
 * second to each partition.
 */
export const DUE_PARTITIONS = Array.from({ length: 16 }, (_, shard) => `due#${shard}`);

/** The name of an index and of its partition key attribute: `by_customer_id_status`. */
export const indexName = (attributes: readonly string[]): string => `by_${attributes.join('_')}`;

/** The name of the index of all accounts' rows by the resource that they wait for. */
export const sharedHeldIndexName = (held: string): string => `across_${held}`;

/** The sparse indexes of all accounts' rows, each sorted by the attribute that puts a row into it. */
export const sharedIndexesOf = ({ due, held }: Pick<Table, 'due' | 'held'>): { name: string; sort: string }[] => [
  ...(due ? [{ name: indexName([due]), sort: due }] : []),
  ...(held ? [{ name: sharedHeldIndexName(held), sort: held }] : []),
];

export const indexesOf = (table: Table): { name: string; sort: string | undefined }[] => [
  ...table.indexes.map((attributes) => ({ name: indexName(attributes), sort: table.key.sort })),
  ...sharedIndexesOf(table),
];
