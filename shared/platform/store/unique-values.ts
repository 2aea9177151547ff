import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Write } from '#shared/platform/commit/write.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import type { Attributes } from '#shared/platform/dynamodb/expression.ts';
import type { Scope } from '#shared/vocabulary.ts';

/** The fields of a resource whose values only one member of an account has. */
export interface Unique {
  readonly fields: readonly string[];
  /** Those of the fields that its list has as filters. */
  readonly lookups?: readonly string[] | undefined;
  /** For example `order`. */
  readonly type: string;
  /** A caller with this scope may know the id of the member that has a value. */
  readonly scope: Scope;
}

interface UniqueKey extends Attributes {
  readonly account_id: string;
  readonly value: string;
}

const keyOf = (account_id: string, type: string, field: string, value: unknown): UniqueKey => ({
  account_id,
  value: `${type}#${field}#${value}`,
});

/** The keys of the rows that a member has in the table of unique values. */
export const uniqueKeys = (unique: Unique | undefined, account: string, member: object): UniqueKey[] =>
  (unique?.fields ?? []).flatMap((field) => {
    const value = Reflect.get(member, field) ?? undefined;
    return value === undefined ? [] : [keyOf(account, (unique as Unique).type, field, value)];
  });

/**
 * The writes that take the values of `after` and give back those of `before`. Each value has a row of its own, whose condition
 * decides between two members (CONTRACT §4). A null or absent value has no row.
 */
export const uniqueWrites = (
  { fields, type, scope }: Unique,
  account: string,
  id: number,
  before: object | undefined,
  after: object | undefined,
): Write[] =>
  fields.flatMap((field): Write[] => {
    const one = { fields: [field], type, scope };
    const [old, next] = [before, after].map((member) => member && uniqueKeys(one, account, member)[0]);
    if (old?.value === next?.value) return [];
    const table = 'uniqueValues';
    const detail = `Another ${type.replaceAll('_', ' ')} has this ${field}.`;
    const removal = (key: UniqueKey): Write => ({
      ...{ table, key, remove: true },
      condition: { clauses: [['id', '=', id]] },
      onConditionFailed: { code: 'internal-error' },
    });
    const creation = (key: UniqueKey): Write => ({
      ...{ table, key, put: { ...key, id } },
      condition: { clauses: [['id', 'absent']] },
      onConditionFailed: { code: 'already-taken', detail, members: { field }, idScope: scope },
    });
    return [...(old ? [removal(old)] : []), ...(next ? [creation(next)] : [])];
  });

/** The id of the member that has a value, with strong consistency. */
export const findUnique = async (
  { client, tableNames }: DynamoContext,
  { type }: Unique,
  account: string,
  field: string,
  value: unknown,
): Promise<number | undefined> => {
  const Key = keyOf(account, type, field, value);
  const { Item } = await client.send(new GetCommand({ TableName: tableNames.uniqueValues, Key, ConsistentRead: true }));
  return Item?.['id'] as number | undefined;
};
