import type { Deployment } from '#infra/operations/deployment.ts';
import { PacedReads } from '#infra/operations/paced-reads.ts';
import { PacedWrites } from '#infra/operations/paced-writes.ts';
import { tables } from '#shared/invoicing/tables.ts';
import { Expression } from '#shared/platform/dynamodb/expression.ts';
import type { Table } from '#shared/platform/dynamodb/table.ts';
import type { TableName } from '#shared/vocabulary.ts';
import { PLACES } from './places.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The rows of one account. Reads and deletes are paced, so that requests keep their throughput. */
export class AccountRows {
  readonly #deployment: Pick<Deployment, 'dynamo' | 'tableNames'>;
  readonly #account: string;
  readonly #reads: PacedReads;
  readonly #writes: PacedWrites;

  constructor(deployment: Pick<Deployment, 'dynamo' | 'tableNames'>, account: string) {
    this.#deployment = deployment;
    this.#account = account;
    this.#reads = new PacedReads(deployment);
    this.#writes = new PacedWrites(deployment);
  }

  /** The rows of a table, page by page. */
  read(table: TableName): AsyncGenerator<Row[]> {
    return this.#pages(table);
  }

  /** Ends at the first row. */
  async has(table: TableName): Promise<boolean> {
    for await (const keys of this.#pages(table, keyOf(table))) if (keys.length > 0) return true;
    return false;
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
      const requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
      await this.#writes.write(this.#deployment.tableNames[table], requests);
      count += keys.length;
    }
    return count;
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
