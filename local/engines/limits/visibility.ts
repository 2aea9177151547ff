import type { RawItem, Request } from './actions.ts';
import type { Touched } from './touched.ts';

/** An item in the response to a read. */
export interface VisibleItem {
  readonly operation: string;
  readonly table: string;
  readonly index: string | undefined;
  readonly id: number;
}

/** Whether the response omits an item, as when a transaction that contains it is readable only in part. */
export type IsHidden = (item: VisibleItem) => boolean;

type Body = Readonly<Record<string, unknown>>;

/**
 * Omits items from the responses to Query, Scan and BatchGetItem: rows of an index that lags, and those that a test
 * hides. TransactGetItems waits for complete transactions.
 */
export class Visibility {
  #isHidden: IsHidden = () => false;
  #hidden: number[] = [];
  /** When rows of an index were written. */
  readonly #written = new Map<string, number>();

  hide(isHidden: IsHidden = () => false): void {
    this.#isHidden = isHidden;
    this.#hidden = [];
  }

  /** The ids that were hidden since the last call of `hide`. */
  get hidden(): readonly number[] {
    return this.#hidden;
  }

  /** Notes the index rows of a write, which an index shows only later. */
  note(touched: readonly Touched[], lagMs: number): void {
    if (lagMs === 0) return;
    const now = Date.now();
    for (const [row, at] of this.#written) {
      if (at + lagMs > now) break;
      this.#written.delete(row);
    }
    for (const { item, indexes } of touched) {
      for (const index of indexes.keys()) {
        this.#written.delete(`${index} ${item}`);
        this.#written.set(`${index} ${item}`, now);
      }
    }
  }

  /** @param itemOf the name of an item of the table that a query reads */
  filter(operation: string, request: Request, body: Body, lagMs: number, itemOf: (item: RawItem) => string): Body {
    const isShown = (table: string) => (item: RawItem) => {
      const id = Number(item['id']?.N);
      const isHidden = this.#isHidden({ operation, table, index: request.IndexName, id });
      if (isHidden) this.#hidden.push(id);
      return !isHidden && !this.#lags(request.IndexName, item, lagMs, itemOf);
    };
    if (operation === 'BatchGetItem' && body['Responses']) {
      const tables = Object.entries(body['Responses'] as Record<string, RawItem[]>);
      return {
        ...body,
        Responses: Object.fromEntries(tables.map(([table, items]) => [table, items.filter(isShown(table))])),
      };
    }
    if (!body['Items']) return body;
    const Items = (body['Items'] as RawItem[]).filter(isShown(request.TableName));
    return { ...body, Items, Count: Items.length };
  }

  #lags(index: string | undefined, item: RawItem, lagMs: number, itemOf: (item: RawItem) => string): boolean {
    if (index === undefined || lagMs === 0) return false;
    const at = this.#written.get(`${index} ${itemOf(item)}`);
    return at !== undefined && at + lagMs > Date.now();
  }
}
