import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Action, isWrite, mentions, type RawItem, valueIn } from './actions.ts';
import type { Kind, Partition } from './buckets.ts';
import type { Call } from './call.ts';
import type { KeyNames, Schema, Schemas } from './schemas.ts';

/** An action with the partitions whose units it needs. */
export interface Touched {
  readonly action: Action;
  /** The item, unless the action is a query or a scan. */
  readonly item: string | undefined;
  readonly table: readonly Partition[];
  /** By the names of the indexes that the action reads or writes. */
  readonly indexes: ReadonlyMap<string, readonly Partition[]>;
}

export const kindOf = (action: Action): Kind => (isWrite(action) ? 'write' : 'read');

const textOf = (value: AttributeValue | undefined): string | undefined => value && String(Object.values(value)[0]);

export const partitionsOf = (kind: Kind, name: string, values: readonly (AttributeValue | undefined)[]): Partition[] =>
  values.flatMap((value) => (value ? { kind, name, value: textOf(value) as string } : []));

const pick = (item: RawItem, { hash, range }: KeyNames): string => JSON.stringify([item[hash], range && item[range]]);

export const itemName = (table: string, item: RawItem, schema: Schema): string => `${table} ${pick(item, schema.key)}`;

/** The attributes of index keys that an action may write. */
const writtenKeys = (action: Action, { indexes }: Schema): string[] => {
  const names = [...indexes.values()].flatMap(({ hash, range }) => [hash, ...(range ? [range] : [])]);
  if (action.verb === 'Put' || action.verb === 'Delete') return names;
  return action.verb === 'Update' ? names.filter((name) => mentions(action, name)) : [];
};

const after = (action: Action, name: string, before: RawItem): AttributeValue | undefined => {
  if (action.verb === 'Put') return action.Item?.[name];
  if (action.verb === 'Delete') return undefined;
  return mentions(action, name) ? valueIn(action.UpdateExpression, name, action) : before[name];
};

/** A keys-only index is written when the key of its row changes: the old row is deleted, and the new one put. */
const writtenIndexes = (action: Action, { indexes }: Schema, before: RawItem): Map<string, Partition[]> => {
  const all = [...indexes].flatMap(([index, { hash, range }]): [string, Partition[]][] => {
    const names = [hash, ...(range ? [range] : [])];
    const changes = names.some((name) => textOf(before[name]) !== textOf(after(action, name, before)));
    const values = [before[hash], after(action, hash, before)];
    return changes ? [[index, partitionsOf('write', `${action.TableName}.${index}`, values)]] : [];
  });
  return new Map(all);
};

/** The partition that a query reads, or in which a scan continues. */
const readPartition = (action: Action, { hash }: KeyNames): AttributeValue | undefined =>
  action.Key?.[hash] ?? action.ExclusiveStartKey?.[hash] ?? valueIn(action.KeyConditionExpression, hash, action);

/** Reads the items whose index keys a write replaces: only the old keys name the partitions that lose a row. */
const readOld = async (actions: readonly Action[], schemas: Schemas, call: Call): Promise<Map<string, RawItem>> => {
  const RequestItems: Record<string, { Keys: RawItem[]; ConsistentRead: true }> = {};
  for (const action of actions) {
    const schema = await schemas.get(action.TableName, call);
    if (!schema || writtenKeys(action, schema).length === 0) continue;
    const item = (action.Key ?? action.Item) as RawItem;
    const { hash, range } = schema.key;
    const Key = Object.fromEntries(
      [hash, ...(range ? [range] : [])].map((name) => [name, item[name] as AttributeValue]),
    );
    RequestItems[action.TableName] ??= { Keys: [], ConsistentRead: true };
    RequestItems[action.TableName]?.Keys.push(Key);
  }
  const old = new Map<string, RawItem>();
  if (Object.keys(RequestItems).length === 0) return old;
  const { body } = await call('BatchGetItem', { RequestItems });
  for (const [table, items] of Object.entries((body['Responses'] ?? {}) as Record<string, RawItem[]>)) {
    const schema = (await schemas.get(table, call)) as Schema;
    for (const item of items) old.set(itemName(table, item, schema), item);
  }
  return old;
};

/** Finds the partitions that actions touch. A table that does not exist has none. */
export const touchedBy = async (actions: readonly Action[], schemas: Schemas, call: Call): Promise<Touched[]> => {
  const old = await readOld(actions, schemas, call);
  return Promise.all(
    actions.map(async (action): Promise<Touched> => {
      const schema = await schemas.get(action.TableName, call);
      if (!schema) return { action, item: undefined, table: [], indexes: new Map() };
      const key = action.Key ?? action.Item;
      const item = key && itemName(action.TableName, key, schema);
      const index = action.IndexName;
      if (index !== undefined) {
        const value = readPartition(action, schema.indexes.get(index) ?? schema.key);
        return {
          action,
          item,
          table: [],
          indexes: new Map([[index, partitionsOf('read', `${action.TableName}.${index}`, [value])]]),
        };
      }
      const value = key?.[schema.key.hash] ?? readPartition(action, schema.key);
      const table = partitionsOf(kindOf(action), action.TableName, [value]);
      const indexes = isWrite(action) && item ? writtenIndexes(action, schema, old.get(item) ?? {}) : new Map();
      return { action, item, table, indexes };
    }),
  );
};
