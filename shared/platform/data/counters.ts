import type { Product } from '#shared/platform/product.ts';
import type { ConditionFailure, Write } from './write.ts';

type Counter = Product['counter'];

/**
 * One account's counters: an item that changes in the same transaction as what it counts. So a counter is exact, also
 * while several requests run, and a limit of it cannot be exceeded.
 */
export class Counters {
  readonly #account: string;

  constructor(account: string) {
    this.#account = account;
  }

  /** @param otherwise what it means that the counter is at its limit */
  increment(counter: Counter, limit: number, otherwise: ConditionFailure): Write[] {
    const isBelow = [
      [counter, 'absent'],
      [counter, '<=', limit - 1],
    ] as const;
    return [this.#write(counter, 1, { match: 'any', clauses: isBelow }, otherwise)];
  }

  decrement(counter: Counter): Write[] {
    return [this.#write(counter, -1, { match: 'all', clauses: [[counter, 'present']] }, { code: 'internal-error' })];
  }

  #write(counter: Counter, by: number, condition: Write['condition'], onConditionFailed: ConditionFailure): Write {
    return {
      table: 'counters',
      key: { account_id: this.#account },
      add: { [counter]: by },
      condition,
      onConditionFailed,
    };
  }
}
