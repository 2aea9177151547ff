import type { Product } from '#shared/platform/product.ts';

export type Attributes = Readonly<Record<string, unknown>>;

/** One clause of a condition: what must hold of one attribute of the stored item. */
export type Clause = readonly [attribute: string, is: 'absent' | 'present'] | readonly [string, '=' | '<=', unknown];

export interface Condition {
  readonly match: 'all' | 'any';
  readonly clauses: readonly Clause[];
}

/**
 * What a failed condition means: `version-conflict` (the item has changed since it was read) and `id-collision` (the new id is taken) run
 * the handler again; a refusal is the response.
 */
export type ConditionFailure =
  | 'version-conflict'
  | 'id-collision'
  | { readonly code: Product['code']; readonly detail?: string };

/** What a write does to the item; `add` moves counters, which are no part of its version. */
export type Change =
  | { readonly put: Attributes }
  | { readonly update: { readonly set?: Attributes; readonly remove?: readonly string[] } }
  | { readonly add: Attributes }
  | { readonly remove: true }
  | { readonly check: true };

/** One action of a transaction as data: nothing is sent until the commit. */
export type ConditionalChange = Change & {
  readonly table: Product['table'];
  readonly key: Attributes;
  readonly condition: Condition;
};

/** A handler's write, which names its own failure. */
export type Write = ConditionalChange & { readonly onConditionFailed: ConditionFailure };
