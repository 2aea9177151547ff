import type { Attributes } from '#shared/platform/commit/write.ts';
import type { Subject } from '#shared/platform/events/change.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** A sparse, keys-only index of the rows of an account with the same values of `filters`. */
export interface Index {
  readonly filters: readonly string[];
  /** Sorts the rows by this date, then by id; by default by id. A row without the date is not in the index. */
  readonly sort?: string;
}

/** The partition key is the account, so every key names the tenant (§5). */
export interface Table {
  readonly variable: string;
  readonly noun: string;
  /** Present for a resource whose changes become events (CONTRACT §14). */
  readonly subject?: Subject;
  readonly key: { readonly partition: string; readonly sort?: string };
  /** One index for each declared combination of filters, and for each sort of a list. */
  readonly indexes: readonly Index[];
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
  /** See `ResourceEntry.storedBefore`. */
  readonly storedBefore?: Attributes;
  /** Whether a worker receives its inserted rows. */
  readonly hasStream?: true;
}

export type NamedTable = Table & { readonly name: TableName };

/**
 * The partitions of an index of all accounts' rows. The writes are divided, because DynamoDB limits the writes per
 * second to each partition.
 */
export const DUE_PARTITIONS = Array.from({ length: 16 }, (_, shard) => `due#${shard}`);

/** `by_customer_id_status`, `by_status_then_due_date`. */
export const indexName = ({ filters, sort }: Index): string =>
  [partitionAttribute({ filters }), ...(sort ? [sort] : [])].join('_then_');

/**
 * Indexes of the same filters share an attribute. A row without the sort key attribute is not in the index, and each
 * attribute makes every read of the row larger.
 */
export const partitionAttribute = ({ filters }: Pick<Index, 'filters'>): string => `by_${filters.join('_')}`;

/** The sort key attribute of an index with `sort`. */
export const sortAttribute = (sort: string): string => `${sort}_id`;

/** The name of the index of all accounts' rows by the resource that they wait for. */
export const sharedHeldIndexName = (held: string): string => `across_${held}`;

/** The sparse indexes of all accounts' rows, each sorted by the attribute that puts a row into it. */
export const sharedIndexesOf = ({ due, held }: Pick<Table, 'due' | 'held'>): { name: string; sort: string }[] => [
  ...(due ? [{ name: indexName({ filters: [due] }), sort: due }] : []),
  ...(held ? [{ name: sharedHeldIndexName(held), sort: held }] : []),
];

interface IndexKeys {
  readonly name: string;
  readonly partition: string;
  readonly sort: string | undefined;
  /** The type of the sort key. */
  readonly type: 'S' | 'N';
}

export const indexesOf = (table: Table): IndexKeys[] => [
  ...table.indexes.map((index): IndexKeys => {
    const keys = { name: indexName(index), partition: partitionAttribute(index) };
    return index.sort
      ? { ...keys, sort: sortAttribute(index.sort), type: 'S' }
      : { ...keys, sort: table.key.sort, type: 'N' };
  }),
  ...sharedIndexesOf(table).map(({ name, sort }): IndexKeys => ({ name, partition: name, sort, type: 'N' })),
];
