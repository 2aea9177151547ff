import type { DescribeTableOutput, KeySchemaElement } from '@aws-sdk/client-dynamodb';
import type { Call } from './call.ts';

export interface KeyNames {
  readonly hash: string;
  readonly range: string | undefined;
}

export interface Schema {
  readonly key: KeyNames;
  readonly indexes: ReadonlyMap<string, KeyNames>;
  readonly isOnDemand: boolean;
}

const keyNames = (elements: readonly KeySchemaElement[] = []): KeyNames => {
  const nameOf = (type: string) => elements.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return { hash: nameOf('HASH') as string, range: nameOf('RANGE') };
};

/** The keys of the tables, which the engine is asked for once. */
export class Schemas {
  readonly #schemas = new Map<string, Schema>();

  known(table: string): Schema | undefined {
    return this.#schemas.get(table);
  }

  /** A table that is missing now may be created later. */
  async get(table: string, call: Call): Promise<Schema | undefined> {
    const schema = this.#schemas.get(table) ?? (await read(table, call));
    if (schema) this.#schemas.set(table, schema);
    return schema;
  }
}

const read = async (table: string, call: Call): Promise<Schema | undefined> => {
  const { body } = await call('DescribeTable', { TableName: table });
  const { Table } = body as DescribeTableOutput;
  if (!Table) return undefined;
  return {
    key: keyNames(Table.KeySchema),
    indexes: new Map(
      Table.GlobalSecondaryIndexes?.map((index) => [index.IndexName as string, keyNames(index.KeySchema)]),
    ),
    isOnDemand: Table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST',
  };
};
