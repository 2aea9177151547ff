import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { backoff, MAX_READ_ATTEMPTS } from '#shared/platform/backoff.ts';
import type { Write } from '#shared/platform/commit/write.ts';
import { queryPages } from '#shared/platform/dynamodb/batches.ts';
import type { DynamoContext } from '#shared/platform/dynamodb/client.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import { indexKeys, type NamedTable, type Table } from '#shared/platform/dynamodb/table.ts';
import { ProblemError } from '#shared/platform/problem.ts';
import type { Group, LeafRow, Place } from './leaves.ts';
import type { SealRequest } from './seal-request.ts';
import { type Partitions, partitionsOf } from './writes.ts';

/** The id of the row that asks for sealing. It precedes the groups, so one query reads it with them. */
const REQUEST_ID = -1;

const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The indexes of the table, for the keys of a request. */
const INDEXES = { due: 'due_at', indexes: [] } as const satisfies Pick<Table, 'due' | 'indexes'>;

type StoredPart = Record<string, unknown>;

interface QueryOptions {
  readonly from: number;
  readonly to: number;
  /** Reads only the item with the highest id. */
  readonly isLast?: boolean;
}

/** The stored page index of one collection of an account (shared/platform/store/page-index/leaves.ts). */
export class PageIndex {
  readonly #context: DynamoContext;
  readonly partitions: Partitions;

  constructor(context: DynamoContext, table: NamedTable, account: string) {
    this.#context = context;
    this.partitions = partitionsOf(account, table.name);
  }

  /** Every group, and the request for sealing: one query. */
  async readGroups(): Promise<{ readonly groups: readonly Group[]; readonly request: SealRequest | undefined }> {
    const items = await this.#query(this.partitions.groups, { from: REQUEST_ID, to: MAX_ID });
    const groups = items.filter(({ id }) => id !== REQUEST_ID) as unknown as Group[];
    return { groups, request: items.find(({ id }) => id === REQUEST_ID) as SealRequest | undefined };
  }

  /** The leaves of the groups with these ids. */
  async readLeaves(from: number, to: number): Promise<LeafRow[]> {
    return (await this.#query(this.partitions.leaves, { from, to })).map(toLeafRow);
  }

  /** The leaves of the group that contains an id; of the last group for an id in the tail. */
  async findLeaves(id: number): Promise<LeafRow | undefined> {
    const [item] = await this.#query(this.partitions.leaves, { from: 0, to: id, isLast: true });
    return item && toLeafRow(item);
  }

  /** The group that contains an id, with its leaves. For an id in the tail, it is the last group. */
  async find(id: number): Promise<Place> {
    for (let attempt = 1; attempt <= MAX_READ_ATTEMPTS; attempt++) {
      const [[item], leaves] = await Promise.all([
        this.#query(this.partitions.groups, { from: 0, to: id, isLast: true }),
        this.findLeaves(id),
      ]);
      const group = item as unknown as Group | undefined;
      // The two reads are not a snapshot: leaves from before the row was sealed do not contain it.
      const needed = group && Math.min(id, group.end);
      if (!needed || (leaves?.id === group.id && leaves.end >= needed)) return { group, leaves };
      await backoff(attempt);
    }
    throw new ProblemError('unavailable', { detail: 'The page index kept changing.' });
  }

  /** Stores a request for sealing, or changes the stored request. */
  async request(options: Omit<SealRequest, 'due_at'> = {}): Promise<void> {
    const expression = new Expression();
    const UpdateExpression = expression.update({ set: { ...this.#dueAt(Date.now()), ...options } });
    const input = { ...this.#requestKey(), UpdateExpression, ...expression.placeholders() };
    await this.#context.client.send(new UpdateCommand(input));
  }

  async findRequest(): Promise<SealRequest | undefined> {
    const { Item } = await this.#context.client.send(new GetCommand({ ...this.#requestKey(), ConsistentRead: true }));
    return Item as SealRequest | undefined;
  }

  /**
   * Ends a request whose work is done: repeats it at a later time, or deletes it. It fails if the request has changed.
   * @param nextAt in epoch milliseconds
   */
  completion({ due_at }: SealRequest, nextAt?: number): Write[] {
    return [
      {
        table: 'pages',
        key: this.#requestKey().Key,
        ...(nextAt === undefined ? { remove: true } : { update: { set: this.#dueAt(nextAt) } }),
        condition: { clauses: [['due_at', '=', due_at]] },
        onConditionFailed: 'version-conflict',
      },
    ];
  }

  #dueAt(due_at: number) {
    return { due_at, ...indexKeys(INDEXES, this.partitions.groups, { due_at }) };
  }

  #requestKey() {
    const Key = { collection: this.partitions.groups, id: REQUEST_ID };
    return { TableName: this.#context.tableNames.pages, Key };
  }

  async #query(partition: string, { from, to, isLast = false }: QueryOptions): Promise<StoredPart[]> {
    const expression = new Expression();
    const input = {
      TableName: this.#context.tableNames.pages,
      KeyConditionExpression: expression.keysIn('collection', partition, from, to),
      ConsistentRead: true,
      ...expression.placeholders(),
    };
    if (isLast) {
      const { Items = [] } = await this.#context.client.send(
        new QueryCommand({ ...input, ScanIndexForward: false, Limit: 1 }),
      );
      return Items;
    }
    const items: StoredPart[] = [];
    for await (const page of queryPages<StoredPart>(this.#context, input)) for (const item of page) items.push(item);
    return items;
  }
}

/**
 * Each leaf is an attribute, so a delete changes only its attribute. The name of the attribute is the first id of the
 * leaf's range.
 */
const toLeafRow = ({ id, end, ...attributes }: StoredPart): LeafRow => {
  const leaves = Object.entries(attributes).flatMap(([name, rows]) =>
    /^\d+$/.test(name) ? [{ from: Number(name), rows: rows as number }] : [],
  );
  return { id: id as number, end: end as number, leaves: leaves.sort((a, b) => a.from - b.from) };
};
