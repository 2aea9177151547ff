import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type RawItem = Readonly<Record<string, AttributeValue>>;

/** The members of a request, or of a part of it, that say which items it reads or writes. */
export interface Input {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly Key?: RawItem;
  readonly Item?: RawItem;
  readonly ConsistentRead?: boolean;
  readonly Limit?: number;
  readonly KeyConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: RawItem;
  readonly ExclusiveStartKey?: RawItem;
}

export type Verb = 'Get' | 'Query' | 'Scan' | 'Put' | 'Update' | 'Delete' | 'ConditionCheck';

/** What a request does to one item; for a query or a scan, to the items of a partition or a table. */
export interface Action extends Input {
  readonly verb: Verb;
}

type Parts = Readonly<Record<string, Partial<Input>>>;

export interface Batches {
  readonly [table: string]: { readonly Keys: readonly RawItem[]; readonly ConsistentRead?: boolean } | readonly Parts[];
}

export interface Request extends Input {
  readonly RequestItems?: Batches;
  readonly TransactItems?: readonly Parts[];
  readonly ClientRequestToken?: string;
  readonly ReturnConsumedCapacity?: 'INDEXES' | 'TOTAL' | 'NONE';
}

const SINGLE: Readonly<Record<string, Verb>> = {
  GetItem: 'Get',
  Query: 'Query',
  Scan: 'Scan',
  PutItem: 'Put',
  UpdateItem: 'Update',
  DeleteItem: 'Delete',
};

const toAction = (part: Parts, rest: Partial<Input> = {}): Action => {
  const [[name, input]] = Object.entries(part) as [[string, Input]];
  return { ...rest, ...input, verb: name.replace('Request', '') as Verb };
};

/** The actions of a request, in its order; undefined for an operation that DynamoDB does not count. */
export const actionsOf = (operation: string, request: Request): readonly Action[] | undefined => {
  const verb = SINGLE[operation];
  if (verb) return [{ ...request, verb }];
  if (request.TransactItems) return request.TransactItems.map((part) => toAction(part));
  if (!request.RequestItems) return undefined;
  return Object.entries(request.RequestItems).flatMap(([TableName, batch]) =>
    isGet(batch)
      ? batch.Keys.map((Key): Action => ({ ...batch, TableName, Key, verb: 'Get' }))
      : batch.map((part) => toAction(part, { TableName })),
  );
};

export const isWrite = ({ verb }: Pick<Action, 'verb'>): boolean => !['Get', 'Query', 'Scan'].includes(verb);

const isGet = (batch: Batches[string]): batch is { readonly Keys: readonly RawItem[] } => 'Keys' in batch;

/** The part of a batch with those of its actions, numbered in its order, that are selected. */
export const selectActions = (batches: Batches, isSelected: (number: number) => boolean): Batches => {
  let number = 0;
  const select = <T>(list: readonly T[]): T[] => list.filter(() => isSelected(number++));
  const all = Object.entries(batches).map(([table, batch]): [string, Batches[string]] =>
    isGet(batch) ? [table, { ...batch, Keys: select(batch.Keys) }] : [table, select(batch)],
  );
  return Object.fromEntries(all.filter(([, batch]) => (isGet(batch) ? batch.Keys : batch).length > 0));
};

export const mergeBatches = (some: Batches, more: Batches): Batches => {
  const merge = (batch: Batches[string], other: Batches[string] | undefined): Batches[string] => {
    if (!other) return batch;
    return isGet(batch) && isGet(other)
      ? { ...other, Keys: [...batch.Keys, ...other.Keys] }
      : [...(batch as readonly Parts[]), ...(other as readonly Parts[])];
  };
  const all = Object.entries(some).map(([table, batch]): [string, Batches[string]] => [
    table,
    merge(batch, more[table]),
  ]);
  return { ...more, ...Object.fromEntries(all) };
};

/** The value to which an expression compares or sets an attribute: `#a = :v`. */
export const valueIn = (
  expression: string | undefined,
  attribute: string,
  { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Input,
): AttributeValue | undefined => {
  for (const [, term = '', value = ''] of expression?.matchAll(/([#\w.-]+)\s*=\s*(:\w+)/g) ?? [])
    if ((names[term] ?? term) === attribute) return values[value];
  return undefined;
};

/** Whether an update sets, changes or removes an attribute. */
export const mentions = (
  { UpdateExpression = '', ExpressionAttributeNames: names = {} }: Input,
  attribute: string,
): boolean => [...UpdateExpression.matchAll(/[#\w.-]+/g)].some(([term]) => (names[term] ?? term) === attribute);
