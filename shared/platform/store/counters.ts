import type { ConditionFailure, Write } from '#shared/platform/commit/write.ts';
import type { Counter } from '#shared/vocabulary.ts';

/** How often a counter of the account has changed. A counter can return to a former value; this number only grows. */
export const COUNTER_CHANGES = 'changes';

/** Counters change in the transaction of the counted items, so concurrent requests cannot exceed a limit; an index lags. */
export class Counters {
  readonly #account: string;

  constructor(account: string) {
    this.#account = account;
  }

  increment(counter: Counter, limit: number, onLimitReached: ConditionFailure): Write[] {
    const isBelow = [
      [counter, 'absent'],
      [counter, '<=', limit - 1],
    ] as const;
    return [this.#write(counter, 1, { match: 'any', clauses: isBelow }, onLimitReached)];
  }

  decrement(counter: Counter): Write[] {
    return [this.#write(counter, -1, { clauses: [[counter, 'present']] }, { code: 'internal-error' })];
  }

  #write(counter: Counter, by: number, condition: Write['condition'], onConditionFailed: ConditionFailure): Write {
    return {
      table: 'counters',
      key: { account_id: this.#account },
      add: { [counter]: by, [COUNTER_CHANGES]: 1 },
      condition,
      onConditionFailed,
    };
  }
}
