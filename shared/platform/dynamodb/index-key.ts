import { createHash } from 'node:crypto';
import { DUE_PARTITIONS, dueIndexOf, partitionAttribute, sortAttribute, type Table } from './table.ts';

/**
 * Texts that a key contains unchanged. Every other text is replaced by its SHA-256: DynamoDB's keys have at most 2,048
 * bytes, and a text with a separator, or in the form of a digest, could give two different values the same key.
 */
const UNHASHED = /^(?!sha256:)[^#]{0,100}$/;

/** The index partition of the rows of one account with these values. */
export const indexKey = (account: string, values: readonly unknown[]): string =>
  [account, ...values.map(toKeyPart)].join('#');

/** The index keys of a row. A row that lacks an attribute of an index is not in that index. */
export const indexKeys = (
  table: Pick<Table, 'indexes' | 'due'>,
  account: string,
  row: object,
): Record<string, string | undefined> => {
  const keys = table.indexes.map(({ filters, sort }) => {
    if (sort) {
      const date = Reflect.get(row, sort) ?? undefined;
      return [sortAttribute(sort), date === undefined ? undefined : sortKey(date, Reflect.get(row, 'id'))];
    }
    const values = filters.map((attribute) => Reflect.get(row, attribute));
    const isIndexed = values.every((value) => value !== null && value !== undefined);
    return [partitionAttribute({ filters }), isIndexed ? indexKey(account, values) : undefined];
  });
  const due = dueIndexOf(table).map(({ name, sort }) => [
    name,
    Reflect.get(row, sort) === undefined ? undefined : duePartition(account, row),
  ]);
  return Object.fromEntries([...keys, ...due]);
};

/** The digits of the greatest id. */
const ID_DIGITS = 16;

/** The sort key of a row in a list that a date sorts: rows of one date are in the order of their ids. */
export const sortKey = (date: string, id: number): string => `${date}#${String(id).padStart(ID_DIGITS, '0')}`;

export const parseSortKey = (key: string): { date: string; id: number } => ({
  date: key.slice(0, -ID_DIGITS - 1),
  id: Number(key.slice(-ID_DIGITS)),
});

/** The rows of one account are in all partitions, so that many due rows of it do not fill one that others need. */
const duePartition = (account: string, row: object): string => {
  const hash = createHash('sha256')
    .update(`${account}#${Reflect.get(row, 'id')}`)
    .digest()
    .readUInt32BE();
  return DUE_PARTITIONS[hash % DUE_PARTITIONS.length] as string;
};

const toKeyPart = (value: unknown): string => {
  const text = String(value);
  return UNHASHED.test(text) ? text : `sha256:${createHash('sha256').update(text).digest('base64url')}`;
};
