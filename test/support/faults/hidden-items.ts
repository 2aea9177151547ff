import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** An item in the response to a read. */
export interface ReadItem {
  readonly table: string;
  readonly index: string | undefined;
  readonly id: number;
}

type Row = Readonly<Record<string, unknown>>;

interface Output {
  Items?: readonly Row[];
  Count?: number;
  Responses?: Readonly<Record<string, readonly Row[]>>;
}

/**
 * Hides items from the responses to the queries and batches of a client, as if the transaction that wrote them were
 * readable only in part. TransactGetItems waits for complete transactions.
 */
export class HiddenItems {
  #isHidden: (item: ReadItem) => boolean = () => false;
  #ids: number[] = [];

  constructor({ middlewareStack }: DynamoDBDocumentClient) {
    middlewareStack.add(
      (next, { commandName }) =>
        async (call) => {
          const result = await next(call);
          const { TableName = '', IndexName } = call.input as { TableName?: string; IndexName?: string };
          const output = result.output as Output;
          if (output.Items) {
            output.Items = output.Items.filter((row) => this.#isShown(TableName, IndexName, row));
            output.Count = output.Items.length;
          }
          if (commandName === 'BatchGetItemCommand')
            output.Responses = Object.fromEntries(
              Object.entries(output.Responses ?? {}).map(([table, rows]) => [
                table,
                rows.filter((row) => this.#isShown(table, undefined, row)),
              ]),
            );
          return result;
        },
      { step: 'initialize', name: 'hidden-items' },
    );
  }

  hide(isHidden: (item: ReadItem) => boolean = () => false): void {
    this.#isHidden = isHidden;
    this.#ids = [];
  }

  /** The ids that were hidden since the last call of `hide`. */
  get ids(): readonly number[] {
    return this.#ids;
  }

  #isShown(table: string, index: string | undefined, row: Row): boolean {
    const id = Number(row['id']);
    const isHidden = this.#isHidden({ table, index, id });
    if (isHidden) this.#ids.push(id);
    return !isHidden;
  }
}
