import { createHash } from 'node:crypto';
import { DUE, indexName, type Table } from './table.ts';

/**
 * Texts that are part of a key as they are. Any other is replaced by its digest: DynamoDB's keys have at most 2,048
 * bytes, and a separator or a text that looks like a digest would make two different values one key.
 */
const PLAIN = /^(?!sha256:)[^#]{0,100}$/;

const part = (value: unknown): string => {
  const text = String(value);
  return PLAIN.test(text) ? text : `sha256:${createHash('sha256').update(text).digest('base64url')}`;
};

/** The partition of an index that holds the rows of one account with these values. */
export const indexKey = (account: string, values: readonly unknown[]): string =>
  [account, ...values.map(part)].join('#');

/** The index keys of a row; a row without one of an index's attributes is not in that index. */
export const indexKeys = (table: Table, account: string, row: object): Record<string, string | undefined> => {
  const keys = table.indexes.map((attributes) => {
    const values = attributes.map((attribute) => Reflect.get(row, attribute));
    const listed = values.every((value) => value !== null && value !== undefined);
    return [indexName(attributes), listed ? indexKey(account, values) : undefined];
  });
  const { due } = table;
  return Object.fromEntries(
    due ? [...keys, [indexName([due]), Reflect.get(row, due) === undefined ? undefined : DUE]] : keys,
  );
};
