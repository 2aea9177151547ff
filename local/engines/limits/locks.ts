import { isWrite } from './actions.ts';
import type { Touched } from './touched.ts';

/**
 * The items of the writes in progress. A write conflicts with a transaction that writes the same item, and a
 * TransactGetItems also with any other write (DynamoDB Developer Guide, transaction-apis.html, "Transaction conflict
 * handling"). Other reads never conflict.
 */
export class Locks {
  readonly #held = new Map<string, { readonly isTransaction: boolean; readonly token: string | undefined }>();

  /** Whether another write in progress makes DynamoDB refuse this action. */
  conflicts({ item, action }: Touched, isTransaction: boolean): boolean {
    const holder = item === undefined ? undefined : this.#held.get(item);
    if (!holder) return false;
    return isWrite(action) ? holder.isTransaction : isTransaction;
  }

  /** Whether a transaction with this token holds the item. */
  isHeldBy({ item }: Touched, token: string | undefined): boolean {
    return item !== undefined && token !== undefined && this.#held.get(item)?.token === token;
  }

  /** Holds the items of a request until the returned function is called. */
  hold(touched: readonly Touched[], isTransaction: boolean, token?: string): () => void {
    const items = touched.flatMap(({ item, action }) => (item !== undefined && isWrite(action) ? item : []));
    const holder = { isTransaction, token };
    for (const item of items) this.#held.set(item, holder);
    return () => {
      for (const item of items) if (this.#held.get(item) === holder) this.#held.delete(item);
    };
  }
}
