import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Deployment } from '#infra/operations/deployment.ts';
import { inTurn, PacedReads } from '#infra/operations/paced-reads.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { batchesOf } from '#shared/platform/dynamodb/batches.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';
import { Pace } from '#shared/platform/store/pace.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { PLACES } from './places.ts';

export type Row = Readonly<Record<string, unknown>>;

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

/** DynamoDB's maximum for BatchWriteItem. */
const MAX_BATCH = 25;

/** The write units of a partition in a second, of which {@link Pace} uses half. */
const PARTITION_WRITE_UNITS = 1000;

/** The rows of one account. Reads and deletes are paced, so that requests keep their throughput. */
export class AccountRows {
  readonly #deployment: Pick<Deployment, 'dynamo' | 'tableNames'>;
  readonly #account: string;
  readonly #reads: PacedReads;
  readonly #writePace = new Pace(PARTITION_WRITE_UNITS);

  constructor(deployment: Pick<Deployment, 'dynamo' | 'tableNames'>, account: string) {
    this.#deployment = deployment;
    this.#account = account;
    this.#reads = new PacedReads(deployment);
  }

  /** The rows of a table, page by page. */
  read(table: TableName): AsyncGenerator<Row[]> {
    return this.#pages(table);
  }

  async count(table: TableName): Promise<number> {
    let count = 0;
    for await (const keys of this.#pages(table, keyOf(table))) count += keys.length;
    return count;
  }

  /** @returns the number of deleted rows */
  async delete(table: TableName): Promise<number> {
    let count = 0;
    for await (const keys of this.#pages(table, keyOf(table))) {
      for (const batch of batchesOf(keys, MAX_BATCH)) await this.#deleteBatch(table, batch);
      count += keys.length;
    }
    return count;
  }

  async #deleteBatch(table: TableName, keys: readonly Row[]): Promise<void> {
    const { dynamo, tableNames } = this.#deployment;
    const name = tableNames[table];
    let waiting: WriteRequests = keys.map((Key) => ({ DeleteRequest: { Key } }));
    while (waiting.length > 0) {
      const command = new BatchWriteCommand({ RequestItems: { [name]: waiting }, ReturnConsumedCapacity: 'TOTAL' });
      const { UnprocessedItems } = await inTurn(this.#writePace, () => dynamo.send(command));
      waiting = UnprocessedItems?.[name] ?? [];
      if (waiting.length > 0) this.#writePace.refused();
    }
  }

  /** @param attributes by default all */
  async *#pages(table: TableName, attributes: readonly string[] = []): AsyncGenerator<Row[]> {
    const { partition } = tables[table].key;
    const TableName = this.#deployment.tableNames[table];
    for (const { isWhole, key } of PLACES[table](this.#account)) {
      const expression = new Expression();
      const [name, value] = [expression.name(partition), expression.value(key)];
      const projection = attributes.length > 0 && { ProjectionExpression: expression.projection(attributes) };
      const input = { TableName, ...projection, ...expression.placeholders() };
      yield* isWhole
        ? this.#reads.query<Row>({ ...input, KeyConditionExpression: `${name} = ${value}` })
        : this.#reads.scan<Row>({ ...input, FilterExpression: `begins_with(${name}, ${value})` });
    }
  }
}

const keyOf = (table: TableName): string[] => {
  const { partition, sort }: Table['key'] = tables[table].key;
  return [partition, ...(sort ? [sort] : [])];
};
