import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Attributes, Clause } from '#shared/platform/dynamodb/expression.ts';
import type { TableName } from '#shared/vocabulary.ts';

/** The keys of an index, which is sparse and keys-only. */
interface KeySchema {
  readonly name: string;
  readonly partition: string;
  readonly sort: string;
  /** The type of the sort key. */
  readonly type: 'S' | 'N';
}

/** The rows of an account with the same values of `filters`, sorted by a date, or a text in its place, then by id. */
export interface ListOrder {
  readonly filters: readonly string[];
  readonly by: string;
}

/** An index of the rows of an account with the same values of `filters`. */
export interface Index extends KeySchema {
  readonly filters: readonly string[];
  /** Sorts the rows by this date, then by id; by default by id. A row without the date is not in the index. */
  readonly by: string | undefined;
}

/** The partition key is the account, so every key names the tenant (§5). */
export interface Table {
  readonly variable: string;
  readonly noun: string;
  readonly key: {
    readonly partition: string;
    readonly sort?: string;
    /** The type of the sort key; by default a number. */
    readonly type?: 'S';
  };
  /** One index for each declared combination of filters, and for each sort of a list. */
  readonly indexes: readonly Index[];
  /** Whether a page index counts its rows (shared/platform/store/page-index/leaves.ts). */
  readonly isIndexed?: true | undefined;
  /** The attribute that DynamoDB's TTL reads, in epoch seconds. */
  readonly expiry?: string | undefined;
  /** An attribute in epoch milliseconds. A sparse, keys-only index finds all accounts' due rows. */
  readonly due?: string | undefined;
  /** See `ResourceEntry.storedBefore`. */
  readonly storedBefore?: Attributes | undefined;
  /** Whether a worker receives its inserted rows. */
  readonly hasStream?: true;
}

export interface NamedTable extends Table {
  readonly name: TableName;
}

/**
 * The partitions of an index of all accounts' rows. The writes are divided, because DynamoDB limits the writes per
 * second to each partition.
 */
export const DUE_PARTITIONS = Array.from({ length: 16 }, (_, shard) => `due#${shard}`);

/**
 * Indexes of the same filters share the attribute of the partition key. A row without the attribute of the sort key is not
 * in the index, and each attribute makes every read of the row larger.
 */
export const createIndex = (filters: readonly string[], by?: string): Index => {
  const partition = `by_${filters.join('_')}`;
  const sortKey = by
    ? ({ name: `${partition}_then_${by}`, sort: sortAttribute(by), type: 'S' } as const)
    : ({ name: partition, sort: 'id', type: 'N' } as const);
  return { filters, by, partition, ...sortKey };
};

/** The sort key attribute of an index by a date. */
export const sortAttribute = (by: string): string => `${by}_id`;

/** The sparse index of all accounts' due rows, sorted by the attribute that puts a row into it. */
export const dueIndex = (due: string): KeySchema => ({ ...createIndex([due]), sort: due });

export const indexesOf = ({ indexes, due }: Table): KeySchema[] => [...indexes, ...(due ? [dueIndex(due)] : [])];

/**
 * Texts that a key contains unchanged. Every other text is replaced by its SHA-256: DynamoDB's keys have at most 2,048
 * bytes, and a text with a separator, or in the form of a digest, could give two different values the same key.
 */
const UNHASHED = /^(?!sha256:)[^#]{0,100}$/;

/** The index partition of the rows of one account with these values. */
export const indexKey = (account: string, values: readonly unknown[]): string => {
  const parts = values.map((value) => {
    const text = String(value);
    return UNHASHED.test(text) ? text : `sha256:${createHash('sha256').update(text).digest('base64url')}`;
  });
  return [account, ...parts].join('#');
};

/** The index keys of a row. A row that lacks an attribute of an index is not in that index. */
export const indexKeys = (
  { indexes, due }: Pick<Table, 'indexes' | 'due'>,
  account: string,
  row: object,
): Record<string, string | undefined> => {
  const keys: Record<string, string | undefined> = {};
  for (const { filters, by, partition, sort } of indexes) {
    if (by) {
      const date = Reflect.get(row, by) ?? undefined;
      keys[sort] = date === undefined ? undefined : sortKey(date, Reflect.get(row, 'id'));
      continue;
    }
    const values = filters.map((attribute) => Reflect.get(row, attribute) ?? undefined);
    keys[partition] = values.includes(undefined) ? undefined : indexKey(account, values);
  }
  if (due) {
    const isDue = Reflect.get(row, due) !== undefined;
    keys[dueIndex(due).partition] = isDue ? duePartition(account, row) : undefined;
  }
  return keys;
};

/** The digits of the greatest id. */
const ID_DIGITS = 16;

/** The sort key of a row in a list that a date sorts: rows of one date are in the order of their ids. */
export const sortKey = (date: string, id: number): string => `${date}#${String(id).padStart(ID_DIGITS, '0')}`;

export const parseSortKey = (key: string): { date: string; id: number } => ({
  date: key.slice(0, -ID_DIGITS - 1),
  id: Number(key.slice(-ID_DIGITS)),
});

/**
 * Each account has rows in all partitions, so that many due rows of one account do not fill a partition of the index.
 */
const duePartition = (account: string, row: object): string => {
  const hash = createHash('sha256')
    .update(`${account}#${Reflect.get(row, 'id')}`)
    .digest()
    .readUInt32BE();
  return DUE_PARTITIONS[hash % DUE_PARTITIONS.length] as string;
};

/**
 * A row as it was read. It has the declared value of each attribute that it lacks because it was stored before the
 * attribute existed.
 * @param attributes the attributes that were read; all by default
 */
export const readRow = <T extends object>(
  { storedBefore }: Pick<Table, 'storedBefore'>,
  row: T,
  attributes?: readonly string[],
): T => {
  if (!storedBefore) return row;
  const isMissing = (name: string) =>
    Reflect.get(row, name) === undefined && (attributes === undefined || attributes.includes(name));
  const missing = Object.entries<unknown>(storedBefore).filter(([name]) => isMissing(name));
  return missing.length > 0 ? { ...row, ...Object.fromEntries(missing) } : row;
};

interface ChangedAttributes {
  readonly set: Attributes;
  readonly remove: readonly string[];
}

export const changedAttributes = (before: Attributes, after: Attributes): ChangedAttributes => {
  const set: Record<string, unknown> = {};
  const remove: string[] = [];
  for (const [attribute, value] of Object.entries(after)) {
    if (isDeepStrictEqual(value, before[attribute])) continue;
    if (value === undefined) remove.push(attribute);
    else set[attribute] = value;
  }
  return { set, remove };
};

/**
 * The clause that an attribute has this value. A row of an older deployment lacks attributes that are newer.
 * @param before the value that {@link readRow} adds to a row without the attribute
 */
export const unchangedClause = (attribute: string, value: unknown, before?: unknown): Clause => {
  if (value === undefined) return [attribute, 'absent'];
  return [attribute, isDeepStrictEqual(value, before) ? 'absent or =' : '=', value];
};
