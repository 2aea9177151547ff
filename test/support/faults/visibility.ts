import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

type Item = Readonly<Record<string, unknown>>;

/** An item in the response to a read. */
export interface VisibleItem {
  readonly command: string;
  readonly table: string;
  readonly index: string | undefined;
  readonly id: number;
}

/** Whether the response omits an item, as when a transaction that contains it is readable only in part. */
export type IsHidden = (item: VisibleItem) => boolean;

export interface Visibility {
  hide(isHidden?: IsHidden): void;
  /** The ids that were hidden since the last call of `hide`. */
  readonly hidden: readonly number[];
}

interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
}
interface Output {
  Items?: Item[];
  Item?: Item | undefined;
  Count?: number;
  Responses?: Readonly<Record<string, Item[]>>;
}

/** Omits items from the responses to reads other than TransactGetItems, which waits for complete transactions. */
export const injectVisibility = (client: DynamoDBDocumentClient): Visibility => {
  let current: IsHidden = () => false;
  let hidden: number[] = [];
  client.middlewareStack.add(
    (next, context) => async (call) => {
      const result = await next(call);
      const command = String(context.commandName);
      const { TableName = '', IndexName: index } = call.input as Input;
      const output = result.output as Output;
      const visible = (table: string) => (item: Item) => {
        const id = Number(item['id']);
        const isHidden = current({ command, table, index, id });
        if (isHidden) hidden.push(id);
        return !isHidden;
      };
      if (command === 'QueryCommand' && output.Items) {
        output.Items = output.Items.filter(visible(TableName));
        output.Count = output.Items.length;
      }
      if (command === 'BatchGetItemCommand' && output.Responses) {
        const tables = Object.entries(output.Responses);
        output.Responses = Object.fromEntries(tables.map(([table, items]) => [table, items.filter(visible(table))]));
      }
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'visibility' },
  );
  return {
    hide: (isHidden = () => false) => {
      current = isHidden;
      hidden = [];
    },
    get hidden() {
      return hidden;
    },
  };
};
