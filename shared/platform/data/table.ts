import type { Subject } from '#shared/platform/events/change.ts';
import type { Product } from '#shared/platform/product.ts';

/** The partition key is the account, so every key names the tenant (§5). */
export interface Table {
  readonly variable: string;
  readonly noun: string;
  /** Of a resource whose changes become events (CONTRACT §14). */
  readonly subject?: Subject;
  readonly key: { readonly partition: string; readonly sort?: string };
  /** Sparse, keys-only indexes: one for each combination of attributes that lists filter by. */
  readonly indexes: readonly (readonly string[])[];
  /** Whether a page index counts its rows (shared/platform/pages/leaves.ts). */
  readonly isIndexed?: true;
  /** The attribute that DynamoDB's TTL reads, in epoch seconds. */
  readonly expiry?: string;
  /** An attribute in epoch milliseconds. A sparse, keys-only index finds all accounts' due rows. */
  readonly due?: string;
  /** Whether a worker receives its inserted rows. */
  readonly hasStream?: true;
}

export type NamedTable = Table & { readonly name: Product['table'] };

/** The partitions of an index of due rows: each accepts only so many writes a second. */
export const DUE_PARTITIONS = Array.from({ length: 16 }, (_, shard) => `due#${shard}`);

/** The name of an index and of its partition key attribute: `by_customer_id_status`. */
export const indexName = (attributes: readonly string[]): string => `by_${attributes.join('_')}`;

export const indexesOf = ({ key, indexes, due }: Table): { name: string; sort: string | undefined }[] => [
  ...indexes.map((attributes) => ({ name: indexName(attributes), sort: key.sort })),
  ...(due ? [{ name: indexName([due]), sort: due }] : []),
];
