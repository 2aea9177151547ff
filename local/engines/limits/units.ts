import type { Capacity, ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { RawItem, Request } from './actions.ts';
import type { Partition } from './buckets.ts';
import type { Reply } from './call.ts';
import type { Schema } from './schemas.ts';
import { kindOf, partitionsOf, type Touched } from './touched.ts';

/** Units of partitions. */
export type Units = readonly (readonly [partition: Partition, units: number])[];

/** The least that an action can consume, also when its condition fails. */
export const leastUnits = (touched: readonly Touched[], isTransaction: boolean): Units =>
  touched.flatMap(({ action, table, indexes }) => {
    const isRead = kindOf(action) === 'read';
    const one = isRead && !action.ConsistentRead && !isTransaction ? 0.5 : 1;
    const partitions = isRead ? [...table, ...[...indexes.values()].flat()] : table;
    return partitions.map((partition) => [partition, isTransaction ? 2 * one : one] as const);
  });

const spread = (units: number, partitions: readonly Partition[]): Units =>
  partitions.map((partition) => [partition, units / partitions.length] as const);

/** A repeated transaction consumes read units: it reads its items, and writes nothing. */
const kindOfCapacity = (partition: Partition, { ReadCapacityUnits }: Capacity): Partition =>
  ReadCapacityUnits ? { ...partition, kind: 'read' } : partition;

/**
 * The units that a response reports, by partition. DynamoDB reports them by table and index; the items of a request
 * share them evenly.
 */
export const consumedUnits = (
  { body }: Reply,
  touched: readonly Touched[],
  schemaOf: (table: string) => Schema | undefined,
): Units =>
  [(body['ConsumedCapacity'] ?? []) as ConsumedCapacity | ConsumedCapacity[]].flat().flatMap((capacity) => {
    const table = capacity.TableName as string;
    const own = touched.filter(({ action }) => action.TableName === table);
    const items = (body['Items'] ?? []) as RawItem[];
    /** A scan that begins names no partition: its items do. */
    const orOfItems = (partitions: readonly Partition[], name: string, hash: string | undefined) =>
      partitions.length > 0 || !hash
        ? partitions
        : partitionsOf(
            'read',
            name,
            items.map((item) => item[hash]),
          );
    const schema = schemaOf(table);
    const tablePartitions = orOfItems(
      own.flatMap((one) => one.table),
      table,
      schema?.key.hash,
    );
    const rest = Object.entries(capacity.GlobalSecondaryIndexes ?? {}).flatMap(([index, { CapacityUnits = 0 }]) => {
      const partitions = own.flatMap(({ indexes }) => indexes.get(index) ?? []);
      return spread(CapacityUnits, orOfItems(partitions, `${table}.${index}`, schema?.indexes.get(index)?.hash));
    });
    const { Table = {} } = capacity;
    const all = tablePartitions.map((partition) => kindOfCapacity(partition, Table));
    return [...spread(Table.CapacityUnits ?? 0, all), ...rest];
  });

/** The response with as much about consumed capacity as the request asks for. */
export const withWantedCapacity = ({ status, body }: Reply, { ReturnConsumedCapacity = 'NONE' }: Request): Reply => {
  const { ConsumedCapacity, ...rest } = body;
  if (ReturnConsumedCapacity === 'INDEXES' || !ConsumedCapacity) return { status, body };
  if (ReturnConsumedCapacity === 'NONE') return { status, body: rest };
  const total = ({ Table, GlobalSecondaryIndexes, LocalSecondaryIndexes, ...one }: ConsumedCapacity) => one;
  const totals = Array.isArray(ConsumedCapacity)
    ? ConsumedCapacity.map(total)
    : total(ConsumedCapacity as ConsumedCapacity);
  return { status, body: { ...rest, ConsumedCapacity: totals } };
};
