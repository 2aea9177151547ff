/** Requests to the tables of ./limited-engine.ts. */

export const keyOf = (id: number, account = 'a') => ({ account: { S: account }, id: { N: String(id) } });

/** @param status puts the item into an index, if it has one */
export const itemOf = (id: number, { account = 'a', status = '', bytes = 0 } = {}) => ({
  ...keyOf(id, account),
  ...(status && { status: { S: status }, due: { N: '1' } }),
  ...(bytes > 0 && { text: { S: 'x'.repeat(bytes) } }),
});

type Table = { readonly TableName?: string };

export const get = (id: number, account = 'a', { TableName = 'invoices' }: Table = {}) =>
  ['GetItem', { TableName, Key: keyOf(id, account), ConsistentRead: true }] as const;

export const put = (id: number, options = {}, { TableName = 'invoices' }: Table = {}) =>
  ['PutItem', { TableName, Item: itemOf(id, options) }] as const;

export const update = (id: number, status: string) =>
  [
    'UpdateItem',
    {
      TableName: 'invoices',
      Key: keyOf(id),
      UpdateExpression: 'SET #s = :s, due = :d',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':s': { S: status }, ':d': { N: '1' } },
    },
  ] as const;

export const remove = (id: number) => ['DeleteItem', { TableName: 'invoices', Key: keyOf(id) }] as const;

export const query = (account = 'a') =>
  [
    'Query',
    {
      TableName: 'invoices',
      KeyConditionExpression: '#a = :a AND id > :i',
      ExpressionAttributeNames: { '#a': 'account' },
      ExpressionAttributeValues: { ':a': { S: account }, ':i': { N: '0' } },
      ConsistentRead: true,
    },
  ] as const;

export const queryStatus = (status: string) =>
  [
    'Query',
    {
      TableName: 'invoices',
      IndexName: 'by_status',
      KeyConditionExpression: '#s = :s',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':s': { S: status } },
    },
  ] as const;

export const scan = () => ['Scan', { TableName: 'invoices', ConsistentRead: true }] as const;

export const batchGet = (...ids: readonly number[]) =>
  ['BatchGetItem', { RequestItems: { invoices: { Keys: ids.map((id) => keyOf(id)), ConsistentRead: true } } }] as const;

export const batchWrite = (...ids: readonly number[]) =>
  ['BatchWriteItem', { RequestItems: { invoices: ids.map((id) => ({ PutRequest: { Item: itemOf(id) } })) } }] as const;

export const transactGet = (...keys: readonly ReturnType<typeof keyOf>[]) =>
  ['TransactGetItems', { TransactItems: keys.map((Key) => ({ Get: { TableName: 'invoices', Key } })) }] as const;

export const transactPut = (items: readonly ReturnType<typeof itemOf>[], more: object = {}) =>
  [
    'TransactWriteItems',
    { TransactItems: items.map((Item) => ({ Put: { TableName: 'invoices', Item } })), ...more },
  ] as const;
