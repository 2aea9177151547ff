import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { tables } from '#shared/invoicing/tables.ts';
import { indexesOf, type Table } from '#shared/platform/dynamodb/table.ts';
import type { Partition } from './buckets.ts';

type RawItem = Readonly<Record<string, AttributeValue>>;

/** The members of a request, or of an item of a transaction, that name the items that it reads or writes. */
interface Input {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: RawItem;
  readonly Item?: RawItem;
  readonly ConsistentRead?: boolean;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: RawItem;
}

export interface Request extends Input {
  readonly Limit?: number;
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys: readonly RawItem[]; readonly ConsistentRead?: boolean }>
  >;
  readonly TransactItems?: readonly Readonly<Record<string, Input>>[];
}

/** The use of one item by a request; for a query, of the items of a partition. */
export interface Access {
  readonly table: string;
  readonly partition: Partition;
  /** The name of the item, unless the request is a query. */
  readonly item: string | undefined;
  /** The least that the request consumes, also when its condition fails. */
  readonly leastUnits: number;
}

const SINGLE: Readonly<Record<string, Partition['kind']>> = {
  GetItem: 'read',
  Query: 'read',
  PutItem: 'write',
  UpdateItem: 'write',
  DeleteItem: 'write',
};

/** The accesses of a request in the order of its items; none for an operation whose units are not limited. */
export const accessesOf = (operation: string, request: Request): readonly Access[] => {
  const kind = SINGLE[operation];
  if (kind) return [accessOf(kind, request)];
  if (request.TransactItems)
    return request.TransactItems.map((item) => {
      const [[name, input]] = Object.entries(item) as [[string, Input]];
      const access = accessOf(name === 'Get' ? 'read' : 'write', { ...input, ConsistentRead: true });
      return { ...access, leastUnits: 2 * access.leastUnits };
    });
  if (operation !== 'BatchGetItem') return [];
  return Object.entries(request.RequestItems ?? {}).flatMap(([TableName, { Keys, ...batch }]) =>
    Keys.map((Key) => accessOf('read', { ...batch, TableName, Key })),
  );
};

const accessOf = (kind: Partition['kind'], input: Input): Access => {
  const { TableName, IndexName, Key, Item } = input;
  const table = tables[TableName as keyof typeof tables] as Table;
  const { partition, sort } = table.key;
  const key = Key ?? Item;
  const index = indexesOf(table).find(({ name }) => name === IndexName);
  const value = key ? key[partition]?.S : comparedValue(input, index?.partition ?? partition);
  return {
    table: TableName,
    partition: { kind, name: IndexName ? `${TableName}.${IndexName}` : TableName, value: value as string },
    item: key && `${TableName} ${value} ${sort && key[sort]?.N}`,
    leastUnits: kind === 'read' && !input.ConsistentRead ? 0.5 : 1,
  };
};

/** The value to which a key condition compares an attribute: `#a = :v`. */
const comparedValue = (
  { KeyConditionExpression = '', ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Input,
  attribute: string,
): string | undefined => {
  for (const [, term = '', value = ''] of KeyConditionExpression.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g))
    if ((names[term] ?? term) === attribute) return values[value]?.S;
  return undefined;
};
